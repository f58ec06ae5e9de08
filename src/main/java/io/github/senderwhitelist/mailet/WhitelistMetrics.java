package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.live.LiveList;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.api.Metric;
import org.apache.james.metrics.api.MetricFactory;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Shows figures in the server's metrics: {@code senderWhitelist.verdict.*} and {@code
 * senderWhitelist.lookup} for all lists together, {@code senderWhitelist.list.NAME.*} for each
 * list.
 *
 * <p>James cannot unregister a gauge. So the gauges of a name are registered once and show the list
 * that has the name now. When none has it, they show 0 or NaN and keep no list in memory.
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

    /** Makes the metrics for James, whose injector calls this. */
    @Inject
    public WhitelistMetrics(MetricFactory factory, GaugeRegistry gauges) {
        this.factory = factory;
        this.gauges = gauges;
        this.listed = factory.generate(PREFIX + "verdict.listed");
        this.notListed = factory.generate(PREFIX + "verdict.notListed");
        this.unavailable = factory.generate(PREFIX + "verdict.unavailable");
    }

    /** Counts the verdict on a mail. Does nothing when the server's metrics fail. */
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

    /** Returns a timer of lookups in exact stores. */
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

    /** Stops showing the list of this name. */
    synchronized void hide(String name) {
        AtomicReference<@Nullable LiveList> shown = byName.get(name);
        if (shown != null) {
            shown.set(null);
        }
    }

    private void register(String prefix, AtomicReference<@Nullable LiveList> shown) {
        for (Figure figure : Figure.ALL) {
            gauges.register(
                    prefix + figure.metric(),
                    () -> {
                        LiveList list = shown.get();
                        return list == null ? figure.none() : figure.value().of(list);
                    });
        }
    }
}
