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
