package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.mailet.LearnCorrespondents;

import jakarta.mail.MessagingException;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;

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

    static final String VALIDITY = "validity";
    static final String MAX_PER_USER = "maxPerUser";
    static final String MAX_NEW_PER_DAY = "maxNewPerDay";
    private static final String MAX_RECIPIENTS = "maxRecipients";
    private static final String LEARN_LOCAL = "learnLocal";
    private static final String LEARN_TIMEOUT = "learnTimeout";
    private static final String RENEW = "renew";
    private static final String SWEEP_USERS = "sweepUsersAfter";

    private static final Set<String> NAMES =
            Set.of(
                    Parameters.LIST,
                    VALIDITY,
                    MAX_PER_USER,
                    MAX_NEW_PER_DAY,
                    MAX_RECIPIENTS,
                    LEARN_LOCAL,
                    LEARN_TIMEOUT,
                    RENEW,
                    SWEEP_USERS);

    private static final int MOST = 1_000_000;

    /** Parses the parameters of a mailet. */
    public static LearningParameters parse(Parameters parameters) throws MessagingException {
        parameters.checkNames(NAMES);
        return new LearningParameters(
                limits(parameters),
                (int) parameters.wholeNumber(MAX_RECIPIENTS, 20, MOST),
                parameters.choice(LEARN_LOCAL, "false", "true").equals("true"),
                parameters.duration(LEARN_TIMEOUT, Duration.ofSeconds(1), Duration.ofMillis(1)),
                Renew.valueOf(
                        parameters
                                .choice(RENEW, "sent", "received", "both")
                                .toUpperCase(Locale.ROOT)),
                (int)
                        parameters
                                .duration(SWEEP_USERS, Duration.ofDays(30), Duration.ZERO)
                                .toDays());
    }

    /** Returns how much is learned. */
    static LearningLimits limits(Parameters parameters) throws MessagingException {
        Duration validity = parameters.duration(VALIDITY, Duration.ofDays(365), Duration.ofDays(1));
        return new LearningLimits(
                (int) validity.toDays(),
                (int) parameters.wholeNumber(MAX_PER_USER, 5_000, MOST),
                maxNewPerDay(parameters));
    }

    /** Returns how many new entries a user may have in a day. */
    static int maxNewPerDay(Parameters parameters) throws MessagingException {
        return (int) parameters.wholeNumber(MAX_NEW_PER_DAY, 100, MOST);
    }
}
