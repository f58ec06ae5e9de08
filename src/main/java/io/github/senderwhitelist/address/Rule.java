package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * One line of a list without its key and recipients: it lists the sender or denies it ({@code !}).
 * The rule has no effect unless all its conditions hold.
 *
 * @param denied true for a {@code !} line, which keeps a sender from being listed by wider entries
 * @param from the moment from which the rule holds, or null
 * @param until the first moment at which the rule no longer holds, or null
 * @param auth the authentication that this rule requires in place of the configured one, or null;
 *     always null for a denial
 * @param origin who put the line into the list
 * @param note a remark for people, or an empty string; it is no condition
 */
public record Rule(
        boolean denied,
        @Nullable Instant from,
        @Nullable Instant until,
        @Nullable AuthRequirement auth,
        Origin origin,
        String note) {
    /** The rule of a line that is only a key. */
    public static final Rule LISTS = new Rule(false, null, null, null, Origin.ADMIN, "");

    /** The rule of a {@code !} line without conditions. */
    public static final Rule DENIES = new Rule(true, null, null, null, Origin.ADMIN, "");

    /** The same of a user. */
    public static final Rule USER_DENIES = new Rule(true, null, null, null, Origin.USER, "");

    /** The first day whose year has four digits. */
    private static final Instant FIRST_DAY = Instant.parse("0000-01-01T00:00:00Z");

    /** The rules of a key with one line and no conditions. Most entries share this list. */
    public static final List<Rule> ONLY_LISTS = List.of(LISTS);

    /** Returns whether the rule has no conditions. */
    public boolean unconditional() {
        return from == null && until == null && auth == null;
    }

    /** Returns when the rule ends; {@link Instant#MAX} if it never does. */
    public Instant end() {
        return until == null ? Instant.MAX : until;
    }

    /** Returns whether the rule is a denial without conditions. */
    public boolean alwaysDenies() {
        return denied && unconditional();
    }

    /**
     * Returns whether another rule of the same entry makes no difference beside this one: a denial
     * without conditions overrides the other lines of its own side, the administrator's, or that of
     * the user and what was learned. The sides are compared with different addresses of a mail.
     */
    public boolean settles(Rule other) {
        return alwaysDenies()
                && !other.alwaysDenies()
                && (origin == Origin.ADMIN) == (other.origin == Origin.ADMIN);
    }

    /** Returns the line of a list that gives a sender this rule for recipients; null for all. */
    public String line(Key key, @Nullable Key to) {
        return (denied ? "!" : "")
                + key
                + word(" from=", dayOrMoment(from, 0))
                + word(" until=", dayOrMoment(until, 1))
                + word(" auth=", auth == null ? null : auth.label())
                + word(" to=", to)
                + word(" origin=", origin == Origin.ADMIN ? null : origin.label())
                + word(" note=", note.isEmpty() ? null : note);
    }

    /** Returns midnight, less some seconds, as a day, and any other moment as it is. */
    private static @Nullable Object dayOrMoment(@Nullable Instant moment, int seconds) {
        return moment != null
                        && moment.equals(moment.truncatedTo(ChronoUnit.DAYS))
                        && !moment.minusSeconds(seconds).isBefore(FIRST_DAY)
                ? LocalDate.ofInstant(moment.minusSeconds(seconds), ZoneOffset.UTC)
                : moment;
    }

    private static String word(String name, @Nullable Object value) {
        return value == null ? "" : name + value;
    }
}
