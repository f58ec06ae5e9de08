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
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The answer to one mail with commands: what has come of them, and a question about the changes
 * among them. Only the reply to the question makes a change.
 */
public final class CommandAnswer {
    private static final Logger LOGGER = LoggerFactory.getLogger(CommandAnswer.class);
    private static final Pattern IDENTIFIER = Pattern.compile("<[\\x21-\\x7e&&[^<>]]{1,250}>");

    /** How long the commands of a mail may take. Those that are left are not tried. */
    private static final Duration MAX_TIME = Duration.ofSeconds(10);

    private final Address user;
    private final MailAddress asked;
    private final OwnEntries entries;
    private final SealedSubject subjects;
    private final InstantSource clock;
    private final Instant end;
    private final List<String> lines = new ArrayList<>();
    private final List<Change> question = new ArrayList<>();

    /** Whether the database has failed. */
    private boolean failed;

    /**
     * Makes an answer that is empty yet.
     *
     * @param asked whom the user wrote to
     * @param entries the user's
     */
    public CommandAnswer(
            Address user,
            MailAddress asked,
            OwnEntries entries,
            SealedSubject subjects,
            InstantSource clock) {
        this.user = user;
        this.asked = asked;
        this.entries = entries;
        this.subjects = subjects;
        this.clock = clock;
        this.end = clock.instant().plus(MAX_TIME);
    }

    /** Does what a mail of the user asks for. */
    public void obey(MimeMessage message) throws MessagingException, IOException {
        MailCommands asks = MailCommands.of(message);
        boolean help = asks.commands().stream().allMatch(Wrong.class::isInstance);
        boolean changes = asks.commands().stream().anyMatch(Change.class::isInstance);
        boolean leftOut = false;
        // Asked twice is asked once, or a small mail would have a hundred copies of all entries.
        for (MailCommand command : new LinkedHashSet<>(asks.commands())) {
            switch (command) {
                case Word.HELP -> help = true;
                case Word.SHOW -> work(command);
                case Word.YES -> confirm(MailCommands.subject(message));
                case Change change -> ask(change);
                // A stranger may have written it, to say in our question what yes would do.
                case Wrong wrong when changes -> leftOut = true;
                case Wrong(String line, String reason) -> refuse(line, reason);
            }
        }
        if (leftOut) {
            add("What is no command was left out. Send it alone to be told why.");
        }
        if (asks.remark() != null) {
            add(asks.remark());
        }
        if (help) {
            add(help());
        }
        if (!question.isEmpty()) {
            if (!lines.isEmpty()) {
                add("");
            }
            add(question());
        }
    }

    private String help() {
        return """

        Write one command a line to %s, or one as the subject:

          show             shows your entries
          add ADDRESS      lists this sender for you
          remove ADDRESS   removes what you have added, and what was learned of you
          help             shows this

        You are asked whether you mean it before anything changes. Reply with yes.

        The first line that is no command ends them.\
        """
                .formatted(asked.asString());
    }

    private String question() {
        return """
        A mail from your account asks for this:

        %s

        If you did not ask, do nothing. Then nothing changes.

        If you did, reply to this mail within three days.
        Write "yes" as the first line, and leave the subject as it is.\
        """
                .formatted(
                        question.stream()
                                .map(each -> "  " + each + ": " + meaning(each))
                                .collect(Collectors.joining("\n")));
    }

    private static String meaning(Change change) {
        return change.adds() ? "lists this sender for you" : "removes your entry for this sender";
    }

    private void refuse(String command, String reason) {
        add(command + ": not done; " + reason + ". Nothing has changed.");
    }

    private void confirm(String subject) {
        List<Change> confirmed = subjects.changes(subject, user, clock.instant());
        if (confirmed.isEmpty()) {
            refuse(
                    "yes",
                    "the subject is not that of a question to you, or was changed, or the question"
                            + " is older than three days. Send the command again");
        }
        confirmed.forEach(this::work);
    }

    private void ask(Change change) {
        question.add(change);
        if (!SealedSubject.hasRoom(question)) {
            question.removeLast();
            refuse(
                    change.toString(),
                    question.isEmpty()
                            ? "the address is too long; only the administrator can change its entry"
                            : "one mail has no room for so many changes. Send this one in another"
                                    + " mail");
        }
    }

    /** Asks the database for a command, and adds what has come of it. */
    private void work(MailCommand command) {
        if (failed || clock.instant().isAfter(end)) {
            add(command + ": not tried. Send it again later.");
            return;
        }
        try {
            String done =
                    !(command instanceof Change(boolean adds, Address sender))
                            ? entries.show()
                            : adds ? entries.add(sender.key()) : entries.remove(sender.key());
            add(command + ":" + done);
        } catch (IOException e) {
            LOGGER.warn("{} failed, and the user is informed: {}", command, e.getMessage());
            add(
                    command
                            + ": perhaps not done. The list does not answer. Send it again later;"
                            + " twice does no harm.");
            failed = true;
        }
    }

    /** Adds a line, or several. */
    public void add(String line) {
        lines.add(line);
    }

    /**
     * Returns the mail that answers. It says of itself that it is automatic, so no program answers
     * it, and its header has nothing of the user's mail but the identifier.
     */
    public MimeMessage mail(MimeMessage answered, MailAddress to) throws MessagingException {
        Instant now = clock.instant();
        MimeMessage answer = new MimeMessage((Session) null);
        answer.setFrom(asked.toInternetAddress().orElseThrow());
        answer.setRecipient(RecipientType.TO, to.toInternetAddress().orElseThrow());
        answer.setSubject(
                question.isEmpty() ? "Your whitelist" : subjects.of(question, user, now),
                UTF_8.name());
        answer.setSentDate(Date.from(now));
        answer.setHeader("Auto-Submitted", "auto-replied");
        String[] identifiers = answered.getHeader("Message-ID");
        if (identifiers != null && IDENTIFIER.matcher(identifiers[0].strip()).matches()) {
            answer.setHeader("In-Reply-To", identifiers[0].strip());
            answer.setHeader("References", identifiers[0].strip());
        }
        answer.setText(String.join("\n", lines).replace("\n", "\r\n") + "\r\n", UTF_8.name());
        answer.saveChanges();
        return answer;
    }
}
