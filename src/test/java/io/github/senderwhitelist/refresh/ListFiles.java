package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Opens lists, makes their settings and asks them, for the tests of this package. */
final class ListFiles {
    private ListFiles() {}

    static ListSettings settings(Path file, Path work) {
        return new ListSettingsBuilder(file, work).settings();
    }

    /** Timing by which lists that look unfinished are taken at once. */
    static final RefreshTiming IMPATIENT =
            new RefreshTiming(
                    Duration.ZERO, Duration.ofMinutes(1), RefreshTiming.OF_SERVERS.clock());

    /** Timing by which they are taken soon. */
    private static final RefreshTiming HASTY =
            new RefreshTiming(
                    Duration.ofSeconds(1), Duration.ofMinutes(1), RefreshTiming.OF_SERVERS.clock());

    /** Opens a list whose questions nobody counts. */
    static FileList open(ListSettings settings, RefreshListener listener) throws IOException {
        return refresher(settings, HASTY, listener).start();
    }

    static FileList refresher(ListSettings settings, RefreshListener listener) throws IOException {
        return refresher(settings, IMPATIENT, listener);
    }

    static FileList refresher(ListSettings settings, RefreshTiming timing, RefreshListener listener)
            throws IOException {
        return new FileList(settings, Disk.LOCAL, timing, listener, new ListCounters());
    }

    static ListLoader loader(ListSettings settings) {
        return new ListLoader(settings, Disk.LOCAL, new ListCounters());
    }

    /** Returns the verdict of a list on a sender. */
    static Verdict check(SenderList list, String sender) {
        return new PlainWhitelist(List.of(list), Subaddressing.NONE)
                .check(SmallLists.address(sender));
    }

    /** Returns whether a list lists a sender. */
    static boolean isListed(SenderList list, String sender) {
        return check(list, sender) instanceof Listed;
    }

    /** Returns a listener that collects what comes of refreshes. */
    static RefreshListener eventsTo(Collection<String> events) {
        return new RefreshListener() {
            @Override
            public void loaded(SnapshotHeader header, @Nullable BuildReport report) {
                events.add("loaded " + header.entries() + (report == null ? "" : " built"));
            }

            @Override
            public void warned(String warning) {
                events.add("warned " + warning);
            }

            @Override
            public void refused(String inForce, String reason, @Nullable Throwable cause) {
                events.add("refused " + reason);
            }
        };
    }

    /** Returns a listener that collects why refreshes were not taken. */
    static RefreshListener refusalsTo(Collection<String> refusals) {
        return new RefreshListener() {
            @Override
            public void refused(String inForce, String reason, @Nullable Throwable cause) {
                refusals.add(reason);
            }
        };
    }
}
