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
 * The figures in the server's metrics: {@code senderWhitelist.verdict.*}, {@code
 * senderWhitelist.learning.*} and {@code senderWhitelist.lookup} for all lists together, and {@link
 * ListGauges} for each list. Counting does nothing when the server's metrics fail.
 */
@Singleton
public final class WhitelistMetrics {
    static final String PREFIX = "senderWhitelist.";

    private final MetricFactory factory;
    private final ListGauges<FileList> files;
    private final ListGauges<LivingList> living;
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
        this.files = new ListGauges<>(gauges, ListGauges.OF_FILES);
        this.living = new ListGauges<>(gauges, ListGauges.OF_DATABASES);
        this.listed = factory.generate(PREFIX + "verdict.listed");
        this.notListed = factory.generate(PREFIX + "verdict.notListed");
        this.unavailable = factory.generate(PREFIX + "verdict.unavailable");
        this.learned = factory.generate(PREFIX + "learning.learned");
        this.refused = factory.generate(PREFIX + "learning.refused");
        this.notLearned = factory.generate(PREFIX + "learning.failed");
    }

    /** Counts the verdict on a mail. */
    public void count(Verdict verdict) {
        add(
                switch (verdict) {
                    case Listed any -> listed;
                    case NotListed any -> notListed;
                    case Unavailable any -> unavailable;
                    case Failed any -> unavailable;
                },
                1);
    }

    /**
     * Counts correspondents.
     *
     * @param added how many were learned
     * @param tooMany how many were not, because the user has enough new entries today
     */
    public void learned(int added, int tooMany) {
        add(learned, added);
        add(refused, tooMany);
    }

    /** Counts correspondents who were not learned because the database failed. */
    public void notLearned(int people) {
        add(notLearned, people);
    }

    private static void add(Metric metric, int times) {
        try {
            metric.add(times);
        } catch (Throwable e) {
            Harmless.log("Counting", e);
        }
    }

    /** Returns a timer of lookups in exact stores. */
    LookupTimer lookupTimer() {
        return () -> factory.timer(PREFIX + "lookup")::stopAndPublish;
    }

    /** Returns the gauges of lists in files. */
    ListGauges<FileList> files() {
        return files;
    }

    /** Returns the gauges of lists in databases. */
    ListGauges<LivingList> living() {
        return living;
    }
}
