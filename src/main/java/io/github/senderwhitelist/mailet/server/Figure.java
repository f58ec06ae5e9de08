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
 * A figure of a list that metrics and JMX show. Counts begin when the list is loaded first.
 *
 * @param <L> the type of the list
 * @param metric the name in metrics
 * @param attribute the name over JMX
 * @param description the meaning, for people
 * @param type {@code long}, or {@code double} for shares
 * @param value reads the figure as a {@link Long} or a {@link Double}
 */
public record Figure<L>(
        String metric, String attribute, String description, String type, Reader<L> value) {
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
                number(
                        "entries",
                        "Entries",
                        "Entries in force, of both kinds",
                        list -> list.status().header().entries()),
                number(
                        "generation.age",
                        "AgeSeconds",
                        "Seconds since the list in force was built",
                        list -> ageSeconds(list.status())),
                number(
                        "degraded",
                        "Degraded",
                        "1 when the file is not what is in force, else 0",
                        list -> list.status().problem() == null ? 0 : 1),
                number(
                        "reloads.done",
                        "ReloadsDone",
                        "Successful reads of the file, also at the start and of unchanged"
                                + " content",
                        list -> list.status().done()),
                number(
                        "reloads.heldBack",
                        "ReloadsHeldBack",
                        "Refreshes refused for what the file held",
                        list -> list.status().heldBack()),
                number(
                        "reloads.failed",
                        "ReloadsFailed",
                        "Refreshes that failed for another reason, each attempt",
                        list -> list.status().failed()),
                share(
                        "filter.expectedFalsePositiveRate",
                        "ExpectedFalsePositiveRate",
                        "The false-positive rate to expect of the filter in force",
                        list -> expectedRate(list.status().header())));
    }

    private static Stream<Figure<LivingList>> ofDatabases() {
        return Stream.of(
                number(
                        "senders",
                        "Senders",
                        "Senders in the base",
                        list -> list.status().addresses() + list.status().domains()),
                number(
                        "entries",
                        "Entries",
                        "Entries in the base",
                        list -> list.status().entries()),
                number(
                        "changes",
                        "Changes",
                        "Changes since the base, which are in memory",
                        list -> list.status().changes()),
                number(
                        "changes.bytes",
                        "ChangeBytes",
                        "About the memory that these changes take",
                        list -> list.status().changeBytes()),
                number(
                        "folds",
                        "Folds",
                        "How often changes were folded into a new base",
                        list -> list.status().folds()),
                number(
                        "degraded",
                        "Degraded",
                        "1 when the latest changes are not known or no base can be made, else 0",
                        list -> list.status().degraded() ? 1 : 0),
                number(
                        "differences",
                        "Differences",
                        "Entries that were not those of the database when they were compared last",
                        list -> list.status().differences()),
                number(
                        "behind",
                        "Behind",
                        "1 while the latest changes may not be known, else 0",
                        list -> list.status().behind() ? 1 : 0));
    }

    /** Returns the figures that all lists have. */
    private static <L> Stream<Figure<L>> counted(
            Function<L, ListCounters> counters, ToDoubleFunction<L> falsePositiveRate) {
        return Stream.of(
                number(
                        "filter.no",
                        "FilterNo",
                        "Addresses of which the filter said: certainly not listed",
                        list -> counters.apply(list).filterNo()),
                number(
                        "filter.maybe",
                        "FilterMaybe",
                        "Addresses of which the filter said: perhaps",
                        list -> counters.apply(list).filterMaybe()),
                number(
                        "filter.falsePositives",
                        "FalsePositives",
                        "Of those, the ones not on the list",
                        list -> counters.apply(list).falsePositives()),
                share(
                        "filter.falsePositiveRate",
                        "FalsePositiveRate",
                        "The measured false-positive rate; NaN before the first stranger",
                        falsePositiveRate),
                number(
                        "domainFilter.maybe",
                        "DomainFilterMaybe",
                        "Domains of which the filter of domain entries said: perhaps",
                        list -> counters.apply(list).domainMaybe()),
                number(
                        "domainFilter.falsePositives",
                        "DomainFalsePositives",
                        "Of those, the ones not on the list",
                        list -> counters.apply(list).domainFalsePositives()),
                number(
                        "cache.hits",
                        "CacheHits",
                        "Exact questions answered from memory",
                        list -> counters.apply(list).cacheHits()),
                share(
                        "cache.hitRate",
                        "CacheHitRate",
                        "Their share of all exact questions; NaN before the first",
                        list -> counters.apply(list).cacheHitRate()),
                number(
                        "lookups.done",
                        "Lookups",
                        "Exact questions put to the disk or database",
                        list -> counters.apply(list).lookups()),
                number(
                        "lookups.failed",
                        "LookupsFailed",
                        "Of those, the ones that failed",
                        list -> counters.apply(list).failures()));
    }

    private static <L> Figure<L> number(
            String metric, String attribute, String description, ToLongFunction<L> value) {
        return new Figure<>(metric, attribute, description, "long", value::applyAsLong);
    }

    private static <L> Figure<L> share(
            String metric, String attribute, String description, ToDoubleFunction<L> value) {
        return new Figure<>(metric, attribute, description, "double", value::applyAsDouble);
    }

    /** Returns what is shown when there is no list: 0 or NaN. */
    Number none() {
        return type.equals("long") ? (Number) 0L : (Number) Double.NaN;
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
