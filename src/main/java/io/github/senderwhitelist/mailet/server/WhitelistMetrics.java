package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.refresh.FileList;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.api.Metric;
import org.apache.james.metrics.api.MetricFactory;

/**
 * The figures in the server's metrics: {@code senderWhitelist.verdict.*} and {@code
 * senderWhitelist.lookup} for all lists together, {@code senderWhitelist.list.NAME.*} for each
 * list.
 */
@Singleton
public final class WhitelistMetrics {
    static final String PREFIX = "senderWhitelist.";

    private final MetricFactory factory;
    private final Gauges<FileList> files;
    private final Gauges<LivingList> living;
    private final Metric listed;
    private final Metric notListed;
    private final Metric unavailable;
    private final Metric learned;
    private final Metric refused;
    private final Metric notLearned;

    /** Makes the metrics for James, whose injector calls this. */
    @Inject
    public WhitelistMetrics(MetricFactory factory, GaugeRegistry gauges) {
        this.factory = factory;
        this.files = new Gauges<>(gauges, Figure.OF_FILES);
        this.living = new Gauges<>(gauges, Figure.OF_DATABASES);
        this.listed = factory.generate(PREFIX + "verdict.listed");
        this.notListed = factory.generate(PREFIX + "verdict.notListed");
        this.unavailable = factory.generate(PREFIX + "verdict.unavailable");
        this.learned = factory.generate(PREFIX + "learning.learned");
        this.refused = factory.generate(PREFIX + "learning.refused");
        this.notLearned = factory.generate(PREFIX + "learning.failed");
    }

    /** Counts the verdict on a mail. Does nothing when the server's metrics fail. */
    public void count(Verdict verdict) {
        Metric metric =
                switch (verdict) {
                    case Listed any -> listed;
                    case NotListed any -> notListed;
                    case Unavailable any -> unavailable;
                    case Failed any -> unavailable;
                };
        Harmless.run("Counting a verdict", metric::increment);
    }

    /**
     * Counts correspondents.
     *
     * @param added how many were learned
     * @param tooMany how many were not, because the user has enough new entries today
     */
    public void learned(int added, int tooMany) {
        Harmless.run("Counting what is learned", () -> learned.add(added));
        Harmless.run("Counting what is learned", () -> refused.add(tooMany));
    }

    /** Counts correspondents that could not be written down. */
    public void notLearned(int people) {
        Harmless.run("Counting what is learned", () -> notLearned.add(people));
    }

    /** Returns a timer of lookups in exact stores. */
    LookupTimer lookupTimer() {
        return () -> factory.timer(PREFIX + "lookup")::stopAndPublish;
    }

    /** Returns the gauges of lists in files. */
    Gauges<FileList> files() {
        return files;
    }

    /** Returns the gauges of lists in databases. */
    Gauges<LivingList> living() {
        return living;
    }
}
