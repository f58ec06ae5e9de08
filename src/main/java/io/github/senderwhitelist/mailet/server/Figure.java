package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * A figure of a list that metrics show. Counts begin when the list is loaded first.
 *
 * @param <L> the type of the list
 * @param metric the name in metrics
 * @param none what is shown when there is no list: 0, or NaN for shares
 * @param value reads the figure as a {@link Long} or a {@link Double}
 */
public record Figure<L>(String metric, Number none, Reader<L> value) {
    /** Reads a figure of a list. */
    @FunctionalInterface
    interface Reader<L> {
        Number of(L list);
    }

    /** The figures of a list in a file. */
    static final List<Figure<FileList>> OF_FILES =
            Stream.concat(ofFiles(), counted(FileList::counters, Figure::falsePositiveRate))
                    .toList();

    /** The figures of a list in a database. */
    public static final List<Figure<LivingList>> OF_DATABASES =
            Stream.concat(
                            ofDatabases(),
                            counted(
                                    LivingList::counters,
                                    list -> list.counters().falsePositiveRate()))
                    .toList();

    private static Stream<Figure<FileList>> ofFiles() {
        return Stream.of(
                number("entries", list -> list.status().header().entries()),
                number("generation.age", list -> ageSeconds(list.status())),
                number("degraded", list -> list.status().problem() == null ? 0 : 1),
                number("reloads.done", list -> list.status().done()),
                number("reloads.heldBack", list -> list.status().heldBack()),
                number("reloads.failed", list -> list.status().failed()),
                share(
                        "filter.expectedFalsePositiveRate",
                        list -> expectedRate(list.status().header())));
    }

    private static Stream<Figure<LivingList>> ofDatabases() {
        return Stream.of(
                number("entries", list -> list.status().entries()),
                number("changes", list -> list.status().changes()),
                number("changes.bytes", list -> list.status().changeBytes()),
                number("merges", list -> list.status().merges()),
                number("degraded", list -> list.status().degraded() ? 1 : 0),
                number("behind", list -> list.status().behind() ? 1 : 0));
    }

    /** Returns the figures that all lists have. */
    private static <L> Stream<Figure<L>> counted(
            Function<L, ListCounters> counters, ToDoubleFunction<L> falsePositiveRate) {
        return Stream.of(
                number("filter.no", list -> counters.apply(list).filterNo()),
                number("filter.maybe", list -> counters.apply(list).filterMaybe()),
                number("filter.falsePositives", list -> counters.apply(list).falsePositives()),
                share("filter.falsePositiveRate", falsePositiveRate),
                number("domainFilter.maybe", list -> counters.apply(list).domainMaybe()),
                number(
                        "domainFilter.falsePositives",
                        list -> counters.apply(list).domainFalsePositives()),
                number("cache.hits", list -> counters.apply(list).cacheHits()),
                share("cache.hitRate", list -> counters.apply(list).cacheHitRate()),
                number("lookups.done", list -> counters.apply(list).lookups()),
                number("lookups.failed", list -> counters.apply(list).failures()));
    }

    private static <L> Figure<L> number(String metric, ToLongFunction<L> value) {
        return new Figure<>(metric, 0L, value::applyAsLong);
    }

    private static <L> Figure<L> share(String metric, ToDoubleFunction<L> value) {
        return new Figure<>(metric, Double.NaN, value::applyAsDouble);
    }

    /** Returns the measured rate, or NaN without exact lookups, which alone can show it. */
    private static double falsePositiveRate(FileList list) {
        return list.settings().exactLookup() ? list.counters().falsePositiveRate() : Double.NaN;
    }

    private static double expectedRate(SnapshotHeader header) {
        return header.addressFilter().rate(header.addresses());
    }

    private static long ageSeconds(ListStatus status) {
        return Duration.between(status.built(), Instant.now()).toSeconds();
    }
}
