package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.mailet.LearnCorrespondents;

import java.time.Duration;

/**
 * The parameters of {@link LearnCorrespondents}.
 *
 * @param limits how much is learned
 * @param maxRecipients a mail to more teaches nothing
 * @param learnLocal whether recipients on this server are learned
 * @param learnTimeout how long a mail waits until it is learned from
 * @param renew which mails extend what was learned
 * @param graceDays for how many days a user must be missing to be swept; 0 sweeps nobody
 */
public record LearningParameters(
        LearningLimits limits,
        int maxRecipients,
        boolean learnLocal,
        Duration learnTimeout,
        Renew renew,
        int graceDays) {
    /** Which mails extend an entry that was learned. */
    public enum Renew {
        /** Those that the user sends to the correspondent. */
        SENT,
        /** Those of the correspondent that come in, are confirmed and listed. */
        RECEIVED,
        /** All of these. */
        BOTH;

        public boolean bySent() {
            return this != RECEIVED;
        }

        public boolean byReceived() {
            return this != SENT;
        }
    }

    /** Parses the parameters of a mailet. */
    public static LearningParameters parse(Parameters parameters) throws SettingException {
        parameters.checkNames(Settings.OF_LEARNING);
        return new LearningParameters(
                limits(parameters),
                Math.toIntExact(parameters.value(Settings.MAX_RECIPIENTS)),
                !parameters.value(Settings.NOT_LEARN_LOCAL),
                parameters.value(Settings.LEARN_TIMEOUT),
                parameters.value(Settings.RENEW),
                parameters.value(Settings.SWEEP_USERS_AFTER));
    }

    /** Returns how much is learned. */
    static LearningLimits limits(Parameters parameters) throws SettingException {
        return new LearningLimits(
                parameters.value(Settings.VALIDITY),
                Math.toIntExact(parameters.value(Settings.MAX_PER_USER)),
                Math.toIntExact(parameters.value(Settings.MAX_NEW_PER_DAY)));
    }
}
