package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.learning.LearningLimits;

/** The parameters that say how much is learned for a user. */
public final class LimitParameters {
    private static final ValueType<Long> COUNT = ValueType.whole(0, 1_000_000);

    private LimitParameters() {}

    /** Reads the parameters of what learns. */
    public static LearningLimits read(Parameters parameters) throws SettingException {
        return new LearningLimits(
                parameters.value("validity", ValueType.days(1), "365d"),
                parameters.number("maxPerUser", COUNT, "5000"),
                maxNewPerDay(parameters));
    }

    /** Returns how many new entries, however they come, a user may have in a day. */
    public static int maxNewPerDay(Parameters parameters) throws SettingException {
        return parameters.number("maxNewPerDay", COUNT, "100");
    }
}
