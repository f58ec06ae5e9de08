package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * One line of a list without its key and recipients: it lists the sender or denies it ({@code !}),
 * and it may have conditions. The rule applies only when all its conditions hold. Otherwise it has
 * no effect.
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

    /** The rule of a {@code !} line of a user, without conditions. */
    public static final Rule USER_DENIES = new Rule(true, null, null, null, Origin.USER, "");

    /** Denials without conditions by the administrator and by a user. */
    public static final List<Rule> ALL_DENY = List.of(DENIES, USER_DENIES);

    /** The first day whose year has four digits. */
    private static final Instant FIRST_DAY = Instant.parse("0000-01-01T00:00:00Z");

    /** The rules of a key with one line and no conditions. Most entries share this list. */
    static final List<Rule> ONLY_LISTS = List.of(LISTS);

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
     * Returns whether another rule of the same entry makes no difference beside this one. A denial
     * without conditions overrides the other lines of its own side. The sides are the
     * administrator, and the user with what was learned: their lines are compared with other
     * addresses of a mail.
     */
    public boolean settles(Rule other) {
        return alwaysDenies()
                && !other.alwaysDenies()
                && (origin == Origin.ADMIN) == (other.origin == Origin.ADMIN);
    }

    /**
     * Returns the line of a list that gives a sender this rule.
     *
     * @param to the recipients that the line is for, or null for all
     */
    public String line(Key key, @Nullable Key to) {
        if (to == null && isPlain()) {
            return key.toString();
        }
        StringBuilder line = new StringBuilder(denied ? "!" : "").append(key);
        append(line, " from=", from == null ? null : isMidnight(from) ? day(from) : from);
        append(
                line,
                " until=",
                until == null
                        ? null
                        : isMidnight(until) && until.isAfter(FIRST_DAY)
                                ? day(until.minusSeconds(1))
                                : until);
        append(line, " auth=", auth == null ? null : auth.label());
        append(line, " to=", to);
        append(line, " origin=", origin == Origin.ADMIN ? null : origin.label());
        append(line, " note=", note.isEmpty() ? null : note);
        return line.toString();
    }

    private boolean isPlain() {
        return !denied && unconditional() && origin == Origin.ADMIN && note.isEmpty();
    }

    private static boolean isMidnight(Instant moment) {
        return moment.equals(moment.truncatedTo(ChronoUnit.DAYS));
    }

    private static LocalDate day(Instant moment) {
        return LocalDate.ofInstant(moment, ZoneOffset.UTC);
    }

    private static void append(StringBuilder line, String name, @Nullable Object value) {
        if (value != null) {
            line.append(name).append(value);
        }
    }
}
