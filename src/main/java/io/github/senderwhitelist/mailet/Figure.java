package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.live.ListStatus;
import io.github.senderwhitelist.live.LiveList;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * A figure of a list that metrics and JMX show. Counts begin when the list is loaded first.
 *
 * @param metric the name in metrics
 * @param attribute the name over JMX
 * @param description the meaning, for people
 * @param type {@code long}, or {@code double} for shares
 * @param value reads the figure as a {@link Long} or a {@link Double}
 */
record Figure(String metric, String attribute, String description, String type, Reader value) {
    /** Reads a figure of a list. */
    @FunctionalInterface
    interface Reader {
        Number of(LiveList list);
    }

    /** All figures. */
    static final List<Figure> ALL =
            List.of(
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
                    number(
                            "filter.no",
                            "FilterNo",
                            "Addresses of which the filter said: certainly not listed",
                            list -> list.counters().filterNo()),
                    number(
                            "filter.maybe",
                            "FilterMaybe",
                            "Addresses of which the filter said: perhaps",
                            list -> list.counters().filterMaybe()),
                    number(
                            "filter.falsePositives",
                            "FalsePositives",
                            "Of those, the ones not on the list",
                            list -> list.counters().falsePositives()),
                    share(
                            "filter.falsePositiveRate",
                            "FalsePositiveRate",
                            "The measured false-positive rate; NaN before the first stranger",
                            Figure::falsePositiveRate),
                    share(
                            "filter.expectedFalsePositiveRate",
                            "ExpectedFalsePositiveRate",
                            "The false-positive rate to expect of the filter in force",
                            list -> expectedRate(list.status().header())),
                    number(
                            "domainFilter.maybe",
                            "DomainFilterMaybe",
                            "Domains of which the filter of domain entries said: perhaps",
                            list -> list.counters().domainMaybe()),
                    number(
                            "domainFilter.falsePositives",
                            "DomainFalsePositives",
                            "Of those, the ones not on the list",
                            list -> list.counters().domainFalsePositives()),
                    number(
                            "cache.hits",
                            "CacheHits",
                            "Exact questions answered from memory",
                            list -> list.counters().cacheHits()),
                    share(
                            "cache.hitRate",
                            "CacheHitRate",
                            "Their share of all exact questions; NaN before the first",
                            list -> list.counters().cacheHitRate()),
                    number(
                            "lookups.done",
                            "Lookups",
                            "Exact questions put to the disk",
                            list -> list.counters().lookups()),
                    number(
                            "lookups.failed",
                            "LookupsFailed",
                            "Of those, the ones that failed",
                            list -> list.counters().failures()));

    private static Figure number(
            String metric, String attribute, String description, ToLongFunction<LiveList> value) {
        return new Figure(metric, attribute, description, "long", value::applyAsLong);
    }

    private static Figure share(
            String metric, String attribute, String description, ToDoubleFunction<LiveList> value) {
        return new Figure(metric, attribute, description, "double", value::applyAsDouble);
    }

    /** Returns what is shown when there is no list: 0 or NaN. */
    Number none() {
        return type.equals("long") ? (Number) 0L : (Number) Double.NaN;
    }

    /** Returns the measured rate, or NaN without exact lookups, which alone can tell it. */
    private static double falsePositiveRate(LiveList list) {
        return list.settings().exactLookup() ? list.counters().falsePositiveRate() : Double.NaN;
    }

    private static double expectedRate(SnapshotHeader header) {
        return header.addressFilter().rate(header.addresses());
    }

    private static long ageSeconds(ListStatus status) {
        return Duration.between(status.built(), Instant.now()).toSeconds();
    }
}
