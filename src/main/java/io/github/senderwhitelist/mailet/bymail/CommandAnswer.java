package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Change;
import io.github.senderwhitelist.mailet.bymail.MailCommand.Wrong;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The answer to one mail with commands: what has come of them, and a question about the changes
 * among them. Only the reply to the question makes a change.
 */
public final class CommandAnswer {
    private static final Logger LOGGER = LoggerFactory.getLogger(CommandAnswer.class);

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
                case MailCommand.Help() -> help = true;
                case MailCommand.Show() -> work(command, entries::show);
                case MailCommand.Yes() -> confirm(MailCommands.subject(message));
                case Change change -> ask(change);
                // A stranger may have written it, to say in our question what yes would do.
                case Wrong wrong when changes -> leftOut = true;
                case Wrong(String line, String reason) -> refuse(line, reason);
            }
        }
        if (leftOut) {
            lines.add("What is no command was left out. Send it alone to be told why.");
        }
        if (asks.remark() != null) {
            lines.add(asks.remark());
        }
        if (help) {
            lines.addAll(help());
        }
        if (!question.isEmpty()) {
            lines.addAll(question());
        }
    }

    private void refuse(String command, String reason) {
        lines.add(command + ": not done; " + reason + ". Nothing has changed.");
    }

    private void confirm(String subject) {
        List<Change> confirmed = subjects.changes(subject, user, clock.instant());
        if (confirmed.isEmpty()) {
            refuse(
                    "yes",
                    "the subject is not that of a question to you, or was changed, or the question"
                            + " is older than three days. Send the command again");
        }
        for (Change change : confirmed) {
            work(change, () -> List.of(change.make(entries)));
        }
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

    /** Asks the database for a command. */
    @FunctionalInterface
    private interface Work {
        List<String> run() throws IOException;
    }

    /** Does the work for a command, and adds what has come of it. */
    private void work(MailCommand command, Work work) {
        if (failed || clock.instant().isAfter(end)) {
            lines.add(command + ": not tried. Send it again later.");
            return;
        }
        try {
            List<String> said = work.run();
            lines.add((command + ": " + said.getFirst()).strip());
            lines.addAll(said.subList(1, said.size()));
        } catch (IOException e) {
            LOGGER.warn("{} failed, and the user is informed: {}", command, e.getMessage());
            lines.add(
                    command
                            + ": perhaps not done. The list does not answer. Send it again later;"
                            + " twice does no harm.");
            failed = true;
        }
    }

    private List<String> help() {
        return List.of(
                "",
                "Write one command a line to " + asked.asString() + ", or one as the subject:",
                "",
                "  show             shows your entries",
                "  add ADDRESS      lists this sender for you",
                "  remove ADDRESS   removes what you have added, and what was learned of you",
                "  help             shows this",
                "",
                "You are asked whether you mean it before anything changes. Reply with yes.",
                "",
                "The first line that is no command ends them.");
    }

    private List<String> question() {
        List<String> text = new ArrayList<>();
        if (!lines.isEmpty()) {
            text.add("");
        }
        text.add("A mail from your account asks for this:");
        text.add("");
        question.forEach(change -> text.add("  " + change + ": " + change.meaning()));
        text.add("");
        text.add("If you did not ask, do nothing. Then nothing changes.");
        text.add("");
        text.add("If you did, reply to this mail within three days.");
        text.add("Write \"yes\" as the first line, and leave the subject as it is.");
        return text;
    }

    /** Adds a line. */
    public void add(String line) {
        lines.add(line);
    }

    /** Returns the subject, which the reply to a question must have. */
    public String subject() {
        return question.isEmpty() ? "Your whitelist" : subjects.of(question, user, clock.instant());
    }

    /** Returns the text. */
    public List<String> lines() {
        return lines;
    }
}
