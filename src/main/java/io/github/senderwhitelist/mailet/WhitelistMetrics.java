package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.live.ListStatus;
import io.github.senderwhitelist.live.LiveList;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.api.Metric;
import org.apache.james.metrics.api.MetricFactory;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The whitelist's figures among the server's metrics: {@code senderWhitelist.verdict.*} and {@code
 * senderWhitelist.lookup} for all lists together, {@code senderWhitelist.list.NAME.*} for each.
 *
 * <p>James cannot take a gauge back. So a list's gauges are registered once for each name and look
 * at whatever list bears it now; when none does they hold on to nothing and say 0, or NaN.
 */
@Singleton
public final class WhitelistMetrics {
    private static final String PREFIX = "senderWhitelist.";

    private final MetricFactory factory;
    private final GaugeRegistry gauges;
    private final Metric listed;
    private final Metric notListed;
    private final Metric unavailable;
    private final Map<String, AtomicReference<@Nullable LiveList>> byName = new HashMap<>();

    /** For the injector. */
    @Inject
    public WhitelistMetrics(MetricFactory factory, GaugeRegistry gauges) {
        this.factory = factory;
        this.gauges = gauges;
        this.listed = factory.generate(PREFIX + "verdict.listed");
        this.notListed = factory.generate(PREFIX + "verdict.notListed");
        this.unavailable = factory.generate(PREFIX + "verdict.unavailable");
    }

    /** Counts the verdict on a mail, or nothing when the server's metrics fail. */
    void count(Verdict verdict) {
        Metric metric =
                switch (verdict) {
                    case Listed any -> listed;
                    case NotListed any -> notListed;
                    case Unavailable any -> unavailable;
                    case Failed any -> unavailable;
                };
        Harmless.run("Counting a verdict", metric::increment);
    }

    /** Times lookups in exact stores. */
    LookupTimer lookupTimer() {
        return () -> factory.timer(PREFIX + "lookup")::stopAndPublish;
    }

    /** Shows the figures of a list under this name. */
    synchronized void show(String name, LiveList list) {
        AtomicReference<@Nullable LiveList> shown = byName.get(name);
        if (shown == null) {
            shown = new AtomicReference<>();
            byName.put(name, shown);
            register(PREFIX + "list." + name + ".", shown);
        }
        shown.set(list);
    }

    /** Shows nothing under this name any more. */
    synchronized void hide(String name) {
        AtomicReference<@Nullable LiveList> shown = byName.get(name);
        if (shown != null) {
            shown.set(null);
        }
    }

    private void register(String prefix, AtomicReference<@Nullable LiveList> shown) {
        Gauges of = new Gauges(prefix, shown);
        of.status("entries", status -> status.generation().entries());
        of.status("generation.age", WhitelistMetrics::ageSeconds);
        of.status("degraded", status -> status.problem() == null ? 0 : 1);
        of.status("reloads.done", ListStatus::done);
        of.status("reloads.heldBack", ListStatus::heldBack);
        of.status("reloads.failed", ListStatus::failed);
        of.count("filter.no", ListCounters::filterNo);
        of.count("filter.maybe", ListCounters::filterMaybe);
        of.count("filter.falsePositives", ListCounters::falsePositives);
        of.rate("filter.falsePositiveRate", WhitelistMetrics::falsePositiveRate);
        of.count("domainFilter.maybe", ListCounters::domainMaybe);
        of.count("domainFilter.falsePositives", ListCounters::domainFalsePositives);
        of.count("cache.hits", ListCounters::cacheHits);
        of.rate("cache.hitRate", list -> list.counters().cacheHitRate());
        of.count("lookups.done", ListCounters::lookups);
        of.count("lookups.failed", ListCounters::failures);
    }

    /** The measured rate; NaN where nobody looks up whether the filter was right. */
    static double falsePositiveRate(LiveList list) {
        return list.settings().exactLookup() ? list.counters().falsePositiveRate() : Double.NaN;
    }

    /** Seconds since the list in force was built. */
    static long ageSeconds(ListStatus status) {
        return Duration.between(status.built(), Instant.now()).toSeconds();
    }

    /** Registers the gauges of one name. */
    private final class Gauges {
        private final String prefix;
        private final AtomicReference<@Nullable LiveList> shown;

        Gauges(String prefix, AtomicReference<@Nullable LiveList> shown) {
            this.prefix = prefix;
            this.shown = shown;
        }

        void status(String name, ToLongFunction<ListStatus> figure) {
            list(name, list -> figure.applyAsLong(list.status()));
        }

        void count(String name, ToLongFunction<ListCounters> figure) {
            list(name, list -> figure.applyAsLong(list.counters()));
        }

        private void list(String name, ToLongFunction<LiveList> figure) {
            gauges.register(
                    prefix + name,
                    () -> {
                        LiveList list = shown.get();
                        return list == null ? 0L : figure.applyAsLong(list);
                    });
        }

        void rate(String name, ToDoubleFunction<LiveList> figure) {
            gauges.register(
                    prefix + name,
                    () -> {
                        LiveList list = shown.get();
                        return list == null ? Double.NaN : figure.applyAsDouble(list);
                    });
        }
    }
}
