package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What one line of a list says of its key: that it is listed, or denied ({@code !}), and under
 * which conditions, all of which must hold. A rule whose conditions do not hold says nothing.
 *
 * @param denied true for a {@code !} line: never listed, though a wider entry lists it
 * @param from the moment from which it holds, or null
 * @param until the first moment at which it does not hold any more, or null
 * @param auth what must have confirmed the sender, in place of what the configuration asks for, or
 *     null; never of a denial
 * @param to the recipients it holds for, one address, a domain, or its subdomains; null: all
 * @param note a remark for people, or an empty string; no condition
 */
public record Rule(
        boolean denied,
        @Nullable Instant from,
        @Nullable Instant until,
        @Nullable AuthRequirement auth,
        @Nullable Key to,
        String note) {
    /** A plain line. */
    public static final Rule LISTS = new Rule(false, null, null, null, null, "");

    /** A {@code !} line without conditions. */
    public static final Rule DENIES = new Rule(true, null, null, null, null, "");

    /** What most entries say. */
    static final List<Rule> ONLY_LISTS = List.of(LISTS);

    /** Whether it holds always, for all recipients, however the mail came. */
    public boolean unconditional() {
        return from == null && until == null && auth == null && to == null;
    }

    /** The line of a list that says this of a key. */
    public String line(Key key) {
        StringBuilder line = new StringBuilder(denied ? "!" : "").append(key);
        append(line, " from=", from == null ? null : isMidnight(from) ? day(from) : from);
        append(
                line,
                " until=",
                until == null ? null : isMidnight(until) ? day(until.minusSeconds(1)) : until);
        append(line, " auth=", auth == null ? null : auth.label());
        append(line, " to=", to);
        append(line, " note=", note.isEmpty() ? null : note);
        return line.toString();
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
