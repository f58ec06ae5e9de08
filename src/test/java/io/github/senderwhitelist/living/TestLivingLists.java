package io.github.senderwhitelist.living;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.filter.FilterSize;

import java.nio.file.Path;
import java.time.Duration;

/** Living lists of tests. */
public final class TestLivingLists {
    private TestLivingLists() {}

    /** Opens a list with a large cache, and no exact store in memory. */
    public static LivingList open(
            ListRecord record,
            String name,
            Path base,
            Duration pollInterval,
            Duration maxStaleness,
            LivingListener listener) {
        return LivingList.open(
                settings(name, pollInterval, maxStaleness),
                record,
                base,
                listener,
                new ListCounters());
    }

    /** Returns the settings of these lists. */
    static LivingSettings settings(String name, Duration pollInterval, Duration maxStaleness) {
        return new LivingSettings(
                name, FilterSize.ofRate(0.001), 10_000, 0, pollInterval, maxStaleness, true);
    }
}
