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
 * A figure of a list, as the server's metrics and JMX show it. Counts are those since the list was
 * loaded first.
 *
 * @param metric its name among the metrics
 * @param attribute its name over JMX
 * @param description what it is, in words for people
 * @param type {@code long}, or {@code double} for shares
 * @param value reads it: a {@link Long} or a {@link Double}
 */
record Figure(String metric, String attribute, String description, String type, Reader value) {
    /** Reads a figure of a list. */
    @FunctionalInterface
    interface Reader {
        Number of(LiveList list);
    }

    /** All figures there are. */
    static final List<Figure> ALL =
            List.of(
                    count(
                            "entries",
                            "Entries",
                            "Entries in force, of both kinds",
                            list -> list.status().generation().entries()),
                    count(
                            "generation.age",
                            "AgeSeconds",
                            "Seconds since the list in force was built",
                            list -> ageSeconds(list.status())),
                    count(
                            "degraded",
                            "Degraded",
                            "1 when the file is not what is in force, else 0",
                            list -> list.status().problem() == null ? 0 : 1),
                    count(
                            "reloads.done",
                            "ReloadsDone",
                            "Refreshes that came into force, the start included",
                            list -> list.status().done()),
                    count(
                            "reloads.heldBack",
                            "ReloadsHeldBack",
                            "Refreshes refused for what the file held",
                            list -> list.status().heldBack()),
                    count(
                            "reloads.failed",
                            "ReloadsFailed",
                            "Refreshes that failed for another reason, each attempt",
                            list -> list.status().failed()),
                    count(
                            "filter.no",
                            "FilterNo",
                            "Addresses of which the filter said: certainly not listed",
                            list -> list.counters().filterNo()),
                    count(
                            "filter.maybe",
                            "FilterMaybe",
                            "Addresses of which the filter said: perhaps",
                            list -> list.counters().filterMaybe()),
                    count(
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
                            list -> expectedRate(list.status().generation())),
                    count(
                            "domainFilter.maybe",
                            "DomainFilterMaybe",
                            "Domains of which the filter of domain entries said: perhaps",
                            list -> list.counters().domainMaybe()),
                    count(
                            "domainFilter.falsePositives",
                            "DomainFalsePositives",
                            "Of those, the ones not on the list",
                            list -> list.counters().domainFalsePositives()),
                    count(
                            "cache.hits",
                            "CacheHits",
                            "Exact questions answered from memory",
                            list -> list.counters().cacheHits()),
                    share(
                            "cache.hitRate",
                            "CacheHitRate",
                            "Their share of all exact questions; NaN before the first",
                            list -> list.counters().cacheHitRate()),
                    count(
                            "lookups.done",
                            "Lookups",
                            "Exact questions put to the disk",
                            list -> list.counters().lookups()),
                    count(
                            "lookups.failed",
                            "LookupsFailed",
                            "Of those, the ones that failed",
                            list -> list.counters().failures()));

    private static Figure count(
            String metric, String attribute, String description, ToLongFunction<LiveList> value) {
        return new Figure(metric, attribute, description, "long", value::applyAsLong);
    }

    private static Figure share(
            String metric, String attribute, String description, ToDoubleFunction<LiveList> value) {
        return new Figure(metric, attribute, description, "double", value::applyAsDouble);
    }

    /** Returns what is shown where there is no list. */
    Number none() {
        return type.equals("long") ? (Number) 0L : (Number) Double.NaN;
    }

    /** Returns the measured rate; NaN where nobody looks up whether the filter was right. */
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
