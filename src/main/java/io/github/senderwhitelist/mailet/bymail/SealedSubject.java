package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Change;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The subject by which a user is asked to confirm a change, and confirms it by replying: the
 * command itself, and a word that seals it for this user and day.
 *
 * <pre>
 * Confirm: add bob@stranger.example [q83vEjRWeJCrze8SNFZ4kA]
 * </pre>
 *
 * <p>So nothing is stored, each server with the same key understands the reply, and a subject that
 * was changed confirms nothing. Mail programs may fold and encode it, and write before and behind
 * it.
 *
 * @param seal the seal of this server
 */
public record SealedSubject(HeaderSeal seal) {
    /** For how many days after the day of the question a reply counts. */
    private static final int VALID_DAYS = 3;

    /**
     * The longest address in a subject, in characters. Outlook cuts subjects after 255, and
     * programs write "Re:" before them.
     */
    static final int MAX_LENGTH = 190;

    private static final Pattern FORM =
            Pattern.compile("Confirm: (.{1,200}) \\[([A-Za-z0-9_-]{22})\\]");

    /** Returns the subject of a question to a user. */
    String of(Change change, Address user, Instant now) {
        return "Confirm: " + change + " [" + seal.sign(user, day(now), change.toString()) + "]";
    }

    private static LocalDate day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    /**
     * Returns the change that a user confirms by replying with a subject. Returns null when it is
     * not the subject of a question to this user, or of one that is too old.
     */
    @Nullable Change change(String subject, Address user, Instant now) {
        Matcher found = FORM.matcher(subject.replaceAll("\\s+", " "));
        // The clock of the server that asked may be ahead.
        return found.find()
                        && MailCommand.parse(found.group(1)) instanceof Change change
                        && day(now).minusDays(VALID_DAYS)
                                .datesUntil(day(now).plusDays(2))
                                .anyMatch(
                                        day ->
                                                seal.verify(
                                                        found.group(2),
                                                        user,
                                                        day,
                                                        change.toString()))
                ? change
                : null;
    }
}
