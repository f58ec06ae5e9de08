package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.usage.UsageCounter;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.api.Metric;
import org.apache.james.metrics.api.MetricFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The figures in the server's metrics: {@code senderWhitelist.verdict.*}, {@code
 * senderWhitelist.learning.*} and {@code senderWhitelist.lookup} for all lists together, and gauges
 * {@code senderWhitelist.list.NAME.FIGURE} for each list. Counting does nothing when the server's
 * metrics fail.
 *
 * <p>James cannot unregister a gauge, and the first of a name stays. So the gauges show the list
 * that has the name now. When none has it, they show 0, or NaN for a rate, and keep no list in
 * memory.
 */
@Singleton
public final class WhitelistMetrics {
    private static final String PREFIX = "senderWhitelist.";

    private final MetricFactory factory;
    private final GaugeRegistry gauges;
    private final Map<String, Metric> counts = new HashMap<>();

    /** The figures of the open lists: each a {@link Double} for a rate, else a {@link Long}. */
    private final Map<String, Map<String, Supplier<Number>>> lists = new ConcurrentHashMap<>();

    @Inject
    public WhitelistMetrics(MetricFactory factory, GaugeRegistry gauges) {
        this.factory = factory;
        this.gauges = gauges;
        for (String each :
                List.of(
                        "verdict.listed",
                        "verdict.notListed",
                        "verdict.unavailable",
                        "learning.learned",
                        "learning.refused",
                        "learning.failed")) {
            counts.put(each, factory.generate(PREFIX + each));
        }
    }

    /** Counts the verdict on a mail. */
    public void count(Verdict verdict) {
        add(
                switch (verdict) {
                    case Listed listed -> "verdict.listed";
                    case NotListed not -> "verdict.notListed";
                    default -> "verdict.unavailable";
                },
                1);
    }

    /** Adds to a count, such as {@code learning.failed}. */
    void add(String count, int times) {
        try {
            Objects.requireNonNull(counts.get(count)).add(times);
        } catch (Throwable e) {
            Harmless.log("Counting", e);
        }
    }

    /** Returns the counters of a new list, which time its lookups. */
    ListCounters counters() {
        return new ListCounters(() -> factory.timer(PREFIX + "lookup")::stopAndPublish);
    }

    void show(String name, FileList list, UsageCounter usage) {
        Map<String, Supplier<Number>> figures = counted(list.counters(), usage);
        figures.put("entries", () -> list.status().header().entries());
        figures.put(
                "generation.age",
                () -> Duration.between(list.status().built(), Instant.now()).toSeconds());
        figures.put("degraded", () -> list.status().problem() == null ? 0L : 1L);
        figures.put("reloads.done", () -> list.status().done());
        figures.put("reloads.heldBack", () -> list.status().heldBack());
        figures.put("reloads.failed", () -> list.status().failed());
        figures.put(
                "filter.expectedFalsePositiveRate",
                () -> {
                    SnapshotHeader header = list.status().header();
                    return header.addressFilter().rate(header.addresses());
                });
        if (!list.settings().exactLookup()) {
            // Only exact lookups can show which answers of the filter were wrong.
            figures.put("filter.falsePositiveRate", () -> Double.NaN);
        }
        show(name, figures);
    }

    void show(String name, LivingList list, UsageCounter usage) {
        Map<String, Supplier<Number>> figures = counted(list.counters(), usage);
        figures.put("entries", () -> list.status().entries());
        figures.put("changes", () -> list.status().changes());
        figures.put("changes.bytes", () -> list.status().changeBytes());
        figures.put("merges", () -> list.status().merges());
        figures.put("degraded", () -> list.status().degraded() ? 1L : 0L);
        figures.put("behind", () -> list.status().behind() ? 1L : 0L);
        show(name, figures);
    }

    private static Map<String, Supplier<Number>> counted(ListCounters of, UsageCounter usage) {
        Map<String, Supplier<Number>> figures = new HashMap<>();
        for (ListCounters.Count each : ListCounters.Count.values()) {
            figures.put(each.label(), () -> of.get(each));
        }
        figures.put("filter.falsePositiveRate", of::falsePositiveRate);
        figures.put("cache.hitRate", of::cacheHitRate);
        figures.put("used", usage::used);
        figures.put("rescued", usage::rescued);
        figures.put("usage.dropped", usage::dropped);
        return figures;
    }

    private void show(String name, Map<String, Supplier<Number>> figures) {
        lists.put(name, figures);
        for (String figure : figures.keySet()) {
            gauges.register(PREFIX + "list." + name + "." + figure, () -> figure(name, figure));
        }
    }

    private Number figure(String name, String figure) {
        Supplier<Number> value = lists.getOrDefault(name, Map.of()).get(figure);
        if (value != null) {
            return value.get();
        }
        return figure.endsWith("Rate") ? (Number) Double.NaN : (Number) 0L;
    }

    void hide(String name) {
        lists.remove(name);
    }
}
