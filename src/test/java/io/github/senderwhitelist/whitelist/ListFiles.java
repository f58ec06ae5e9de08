package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.ListSource;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotBuilder.Admission;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Lists and senders for the tests of this package. */
final class ListFiles {
    /** So few bits that strangers for whom the filter says "maybe" are soon found. */
    static final BuildOptions LOOSE =
            new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(1));

    static final BuildOptions TIGHT = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(1e-4));

    private ListFiles() {}

    static Snapshot snapshot(Path folder, BuildOptions options, String... lines)
            throws IOException {
        Path file = folder.resolve("list-" + String.join("", lines).hashCode() + ".swl");
        byte[] text = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        ListSource source =
                new ListSource("test list", text.length, () -> new ByteArrayInputStream(text));
        new SnapshotBuilder(
                        options,
                        new BuildResources(
                                BuildResources.LEAST_MEMORY, 1, new Scratch(Disk.LOCAL, folder)),
                        42,
                        0,
                        BuildProgress.NONE)
                .build(List.of(source), file, Admission.ALL);
        return Snapshot.open(Disk.LOCAL, file);
    }

    static ListSettings settings(Path file, Path work) {
        return new ListSettings(
                "list",
                file,
                TIGHT,
                true,
                1000,
                Duration.ofMinutes(10),
                Duration.ofMillis(200),
                0.5,
                work);
    }

    /** Takes lists that look unfinished at once. */
    static final RefreshTiming IMPATIENT =
            new RefreshTiming(Duration.ZERO, Duration.ofMinutes(1), RefreshTiming.USUAL.clock());

    static Refresher refresher(ListSettings settings, RefreshListener listener) throws IOException {
        return refresher(settings, IMPATIENT, listener);
    }

    static Refresher refresher(
            ListSettings settings, RefreshTiming timing, RefreshListener listener)
            throws IOException {
        return new Refresher(
                settings,
                Disk.LOCAL,
                timing,
                listener,
                new ListCounters(ListCounters.LookupTimer.NONE));
    }

    static ListLoader loader(ListSettings settings) {
        return new ListLoader(
                settings, Disk.LOCAL, new ListCounters(ListCounters.LookupTimer.NONE));
    }

    /** A listener that keeps why refreshes were not taken. */
    static RefreshListener refusalsTo(Collection<String> refusals) {
        return new RefreshListener() {
            @Override
            public void loaded(
                    Path list, SnapshotHeader generation, @Nullable BuildReport report) {}

            @Override
            public void refused(
                    Path list, String inForce, String reason, @Nullable Throwable cause) {
                refusals.add(reason);
            }
        };
    }

    static Address address(String text) {
        return ((WellFormed) AddressSyntax.parse(text)).address();
    }
}
