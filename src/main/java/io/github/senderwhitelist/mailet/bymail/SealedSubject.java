package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Change;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The subject by which a user is asked to confirm changes, and confirms them by replying: the
 * commands themselves, and a word that seals them for this user and day.
 *
 * <pre>
 * Confirm: add bob@stranger.example, remove eve@far.example [q83vEjRWeJCrze8SNFZ4kA]
 * </pre>
 *
 * <p>So nothing is stored, each server with the same key understands the reply, and a subject that
 * was changed confirms nothing. Mail programs may fold and encode it, and write before and behind
 * it.
 */
public final class SealedSubject {
    /** For how many days after the day of the question a reply counts. */
    static final int VALID_DAYS = 3;

    /**
     * The most characters that the commands may have together. Outlook cuts subjects after 255, and
     * programs write "Re:" before them.
     */
    static final int MAX_LENGTH = 200;

    private static final String SEPARATOR = ", ";
    private static final Pattern FORM =
            Pattern.compile("Confirm: (.{1," + MAX_LENGTH + "}) \\[([A-Za-z0-9_-]{22})\\]");

    private final HeaderSeal seal;

    public SealedSubject(HeaderSeal seal) {
        this.seal = seal;
    }

    /** Returns whether one subject has room for these changes. */
    static boolean hasRoom(List<Change> changes) {
        return String.join(SEPARATOR, texts(changes)).length() <= MAX_LENGTH;
    }

    private static List<String> texts(List<? extends MailCommand> changes) {
        return changes.stream().map(Object::toString).toList();
    }

    /** Returns the subject of a question to a user. */
    String of(List<Change> changes, Address user, Instant now) {
        List<String> texts = texts(changes);
        return "Confirm: "
                + String.join(SEPARATOR, texts)
                + " ["
                + seal.sign(user, day(now), texts)
                + "]";
    }

    private static LocalDate day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    /**
     * Returns the changes that a user confirms by replying with a subject. Returns none when it is
     * not the subject of a question to this user, or of one that is too old.
     */
    List<Change> changes(String subject, Address user, Instant now) {
        Matcher found = FORM.matcher(subject.replaceAll("\\s+", " "));
        if (!found.find()) {
            return List.of();
        }
        List<Change> changes = new ArrayList<>();
        for (String text : found.group(1).split(SEPARATOR, -1)) {
            if (!(MailCommand.parse(text) instanceof Change change)) {
                return List.of();
            }
            changes.add(change);
        }
        List<String> texts = texts(changes);
        // The clock of the server that asked may be ahead.
        return day(now).minusDays(VALID_DAYS)
                        .datesUntil(day(now).plusDays(2))
                        .anyMatch(day -> seal.verify(found.group(2), user, day, texts))
                ? changes
                : List.of();
    }
}
