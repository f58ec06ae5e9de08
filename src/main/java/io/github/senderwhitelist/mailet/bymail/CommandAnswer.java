package io.github.senderwhitelist.mailet.bymail;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Change;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Word;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Wrong;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.LocalDate;
import java.util.Date;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The answer to a mail with a command: what has come of it, or the question whether a change is
 * meant. Only the reply to the question makes the change.
 *
 * <p>The subject of a question is the command itself, and a word that seals it for this user and
 * day:
 *
 * <pre>
 * Confirm: add bob@stranger.example [q83vEjRWeJCrze8SNFZ4kA]
 * </pre>
 *
 * <p>So nothing is stored, each server with the same key understands the reply, and a subject that
 * was changed confirms nothing. Mail programs may fold and encode it, and write before and behind
 * it.
 */
public record CommandAnswer(String subject, String text) {
    private static final Logger LOGGER = LoggerFactory.getLogger(CommandAnswer.class);

    /** For how many days after the day of the question a reply counts. */
    private static final int VALID_DAYS = 3;

    private static final Pattern CONFIRM =
            Pattern.compile("Confirm: (.{1,200}) \\[([A-Za-z0-9_-]{22})\\]");
    private static final Pattern IDENTIFIER = Pattern.compile("<[\\x21-\\x7e&&[^<>]]{1,250}>");

    /** Makes an answer that asks nothing. */
    public CommandAnswer(String text) {
        this("Your whitelist", text);
    }

    /** Does what a user's mail to an address asks for, or asks whether it is meant. */
    public static CommandAnswer to(
            MimeMessage message, MailAddress asked, OwnEntries entries, HeaderSeal seal)
            throws MessagingException, IOException {
        return switch (MailCommand.of(message)) {
            case Word.HELP -> new CommandAnswer(help(asked));
            case Word.SHOW -> done(Word.SHOW, entries);
            case Word.YES -> {
                Change change = confirmed(MailCommand.subject(message), entries, seal);
                yield change != null
                        ? done(change, entries)
                        : new CommandAnswer(
                                "yes: not done; the subject is not that of a question to you, or"
                                        + " was changed, or the question is older than three days."
                                        + " Send the command again. Nothing has changed.");
            }
            case Change change -> {
                String sealed = seal.sign(entries.user(), entries.today(), change.toString());
                String subject = "Confirm: %s [%s]".formatted(change, sealed);
                yield new CommandAnswer(subject, question(change));
            }
            case Wrong(String line, String reason) ->
                    new CommandAnswer(
                            "%s: not done; %s. Nothing has changed.\n%s"
                                    .formatted(line, reason, help(asked)));
        };
    }

    /** Returns the change that a subject confirms; null if it is of no question to this user. */
    private static @Nullable Change confirmed(String subject, OwnEntries entries, HeaderSeal seal) {
        Matcher found = CONFIRM.matcher(subject.replaceAll("\\s+", " "));
        if (!found.find() || !(MailCommand.parse(found.group(1)) instanceof Change change)) {
            return null;
        }
        String sealed = change.toString();
        LocalDate today = entries.today();
        // The clock of the server that asked may be ahead.
        return today.minusDays(VALID_DAYS)
                        .datesUntil(today.plusDays(2))
                        .anyMatch(day -> seal.verify(found.group(2), entries.user(), day, sealed))
                ? change
                : null;
    }

    private static String help(MailAddress asked) {
        return """

        Write one command to %s, as the subject or as the first line:

          show             shows your entries
          add ADDRESS      lists this sender for you
          remove ADDRESS   removes what you have added, and what was learned of you
          help             shows this

        You are asked whether you mean it before anything changes. Reply with yes.\
        """
                .formatted(asked.asString());
    }

    private static String question(Change change) {
        return """
        A mail from your account asks for this:

          %s: %s

        If you did not ask, do nothing. Then nothing changes.

        If you did, reply to this mail within three days.
        Write "yes" as the first line, and leave the subject as it is.\
        """
                .formatted(
                        change,
                        change.adds()
                                ? "lists this sender for you"
                                : "removes your entry for this sender");
    }

    private static CommandAnswer done(MailCommand command, OwnEntries entries) {
        try {
            String done =
                    !(command instanceof Change(boolean adds, Address sender))
                            ? entries.show()
                            : adds ? entries.add(sender.key()) : entries.remove(sender.key());
            return new CommandAnswer(command + ":" + done);
        } catch (IOException e) {
            LOGGER.warn("{} failed, and the user is informed: {}", command, e.getMessage());
            return new CommandAnswer(
                    command
                            + ": perhaps not done. The list does not answer. Send it again later;"
                            + " twice does no harm.");
        }
    }

    /**
     * Returns the mail that answers. It says that it is automatic, so no program answers it, and
     * its header has nothing of the user's mail but the identifier.
     */
    public MimeMessage mail(MimeMessage answered, MailAddress from, MailAddress to, Date now)
            throws MessagingException {
        MimeMessage answer = new MimeMessage((Session) null);
        answer.setFrom(from.toInternetAddress().orElseThrow());
        answer.setRecipient(RecipientType.TO, to.toInternetAddress().orElseThrow());
        answer.setSubject(subject, UTF_8.name());
        answer.setSentDate(now);
        answer.setHeader("Auto-Submitted", "auto-replied");
        String identifier = String.valueOf(answered.getHeader("Message-ID", null)).strip();
        if (IDENTIFIER.matcher(identifier).matches()) {
            answer.setHeader("In-Reply-To", identifier);
            answer.setHeader("References", identifier);
        }
        answer.setText(text.replace("\n", "\r\n") + "\r\n", UTF_8.name());
        answer.saveChanges();
        return answer;
    }
}
