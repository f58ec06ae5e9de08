package io.github.senderwhitelist.mailet.bymail;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Change;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Word;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Wrong;

import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Instant;
import java.util.Date;
import java.util.regex.Pattern;

/**
 * The answer to a mail with a command: what has come of it, or the question whether a change is
 * meant. Only the reply to the question makes the change.
 */
public record CommandAnswer(String subject, String text) {
    private static final Logger LOGGER = LoggerFactory.getLogger(CommandAnswer.class);
    private static final Pattern IDENTIFIER = Pattern.compile("<[\\x21-\\x7e&&[^<>]]{1,250}>");

    /** Makes an answer that asks nothing. */
    public CommandAnswer(String text) {
        this("Your whitelist", text);
    }

    /**
     * Does what a mail of a user asks for, or asks whether it is meant.
     *
     * @param asked whom the user wrote to
     * @param entries the user's
     */
    public static CommandAnswer to(
            MimeMessage message,
            Address user,
            MailAddress asked,
            OwnEntries entries,
            SealedSubject subjects)
            throws MessagingException, IOException {
        String help = help(asked);
        return switch (MailCommand.of(message)) {
            case Word.HELP -> new CommandAnswer(help);
            case Word.SHOW -> done(Word.SHOW, entries);
            case Word.YES -> {
                String subject = MailCommand.subject(message);
                Change change = subjects.change(subject, user, entries.now());
                yield change != null
                        ? done(change, entries)
                        : new CommandAnswer(
                                "yes: not done; the subject is not that of a question to you, or"
                                        + " was changed, or the question is older than three days."
                                        + " Send the command again. Nothing has changed.");
            }
            case Change change ->
                    new CommandAnswer(subjects.of(change, user, entries.now()), question(change));
            case Wrong(String line, String reason) ->
                    new CommandAnswer(
                            "%s: not done; %s. Nothing has changed.\n%s"
                                    .formatted(line, reason, help));
        };
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

    /** Asks the database for a command, and returns what has come of it. */
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
     * Returns the mail that answers. It says of itself that it is automatic, so no program answers
     * it, and its header has nothing of the user's mail but the identifier.
     */
    public MimeMessage mail(MimeMessage answered, MailAddress from, MailAddress to, Instant now)
            throws MessagingException {
        MimeMessage answer = new MimeMessage((Session) null);
        answer.setFrom(from.toInternetAddress().orElseThrow());
        answer.setRecipient(RecipientType.TO, to.toInternetAddress().orElseThrow());
        answer.setSubject(subject, UTF_8.name());
        answer.setSentDate(Date.from(now));
        answer.setHeader("Auto-Submitted", "auto-replied");
        String[] identifiers = answered.getHeader("Message-ID");
        if (identifiers != null && IDENTIFIER.matcher(identifiers[0].strip()).matches()) {
            answer.setHeader("In-Reply-To", identifiers[0].strip());
            answer.setHeader("References", identifiers[0].strip());
        }
        answer.setText(text.replace("\n", "\r\n") + "\r\n", UTF_8.name());
        answer.saveChanges();
        return answer;
    }
}
