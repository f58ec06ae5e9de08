package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.list.TextList.Summary;
import io.github.senderwhitelist.mailet.server.LastHour;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.SharedLists.Judging;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;
import io.github.senderwhitelist.refresh.ListStatus.Refresh;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The route that tells how all open lists are. */
public final class ListStates {
    private final SharedLists lists;

    /** The refused lines of files, so that no file is read again for each answer. */
    private final Map<Path, Looked> looked = new ConcurrentHashMap<>();

    public ListStates(SharedLists lists) {
        this.lists = lists;
    }

    private record All(
            Health health, List<String> mailets, LastHour.Counts lastHour, List<State> lists) {}

    /** How the lists are together, as the health check says it. */
    private record Health(String status, List<String> problems) {}

    /**
     * The state of a list.
     *
     * @param status what lists of its kind have beside; its members are among these
     * @param filter null if the list is not active yet
     * @param refreshes the last ones, the newest first; null for a living list
     * @param refused null for a living list, or if they are not known
     */
    private record State(
            String name,
            String kind,
            @JsonUnwrapped Object status,
            @Nullable AddressFilter filter,
            @Nullable List<Refresh> refreshes,
            @Nullable Refused refused) {}

    private record OfFile(long entries, Instant asOf, @Nullable String problem) {}

    /**
     * The filter of a list's addresses.
     *
     * @param bitsPerAddress null if there are no addresses
     * @param rate the false-positive rate that was predicted, from 0 to 1
     * @param measured the one since the list was opened; null if it cannot be told
     * @param probes how many addresses that are not on the list were asked for
     */
    private record AddressFilter(
            String kind,
            @Nullable Double bitsPerAddress,
            long bytes,
            double rate,
            @Nullable Double measured,
            long probes) {
        static AddressFilter of(SnapshotHeader header, ListCounters counters, boolean isExact) {
            FilterShape shape = header.addressFilter();
            long addresses = header.addresses();
            double measured = counters.falsePositiveRate();
            return new AddressFilter(
                    shape.kind().label(),
                    addresses == 0 ? null : (double) shape.m() / addresses,
                    shape.bytes(),
                    shape.rate(addresses),
                    isExact && !Double.isNaN(measured) ? measured : null,
                    counters.get(Count.FILTER_NO) + counters.get(Count.FALSE_POSITIVES));
        }
    }

    /** The bad lines in a file, the first of them as {@code NUMBER: REASON}. */
    private record Refused(long count, List<String> lines) {}

    private record Looked(FileState state, @Nullable Refused refused) {}

    /** Returns the state of all lists, and of what judges by them. */
    public Object all(WebRequest request, Response response) {
        List<State> states = new ArrayList<>();
        lists.files().forEach((name, list) -> states.add(state(name, list)));
        lists.living()
                .forEach(
                        (name, list) -> {
                            SnapshotHeader header = list.header();
                            AddressFilter filter =
                                    header == null
                                            ? null
                                            : AddressFilter.of(header, list.counters(), true);
                            states.add(
                                    new State(name, "living", list.status(), filter, null, null));
                        });
        List<String> problems = lists.problems();
        return new All(
                new Health(problems.isEmpty() ? "healthy" : "degraded", problems),
                lists.judging().stream().map(Judging::name).distinct().toList(),
                lists.lastHour().counts(lists.clock().instant()),
                states);
    }

    private State state(String name, FileList list) {
        ListStatus status = list.status();
        SnapshotHeader header = status.header();
        return new State(
                name,
                "file",
                new OfFile(header.entries(), status.built(), status.problem()),
                AddressFilter.of(header, list.counters(), list.settings().exactLookup()),
                status.last(),
                refused(list.settings().file()));
    }

    /** Returns the bad lines of a file; null if it is no text, or is not read in time. */
    private @Nullable Refused refused(Path file) {
        FileState state = Disk.LOCAL.state(file);
        return looked.compute(
                        file,
                        (any, before) ->
                                before != null && before.state.equals(state)
                                        ? before
                                        : new Looked(state, read(file)))
                .refused;
    }

    private static @Nullable Refused read(Path file) {
        try (InputStream in = new TimedInput(Disk.LOCAL.open(file).input())) {
            Summary read = TextList.read(in, "", (bytes, from, length, rules) -> {});
            // Each is LIST:NUMBER: REASON, and the list has no name here.
            List<String> lines = read.complaints().stream().map(one -> one.substring(1)).toList();
            return new Refused(read.badLines(), lines);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }
}
