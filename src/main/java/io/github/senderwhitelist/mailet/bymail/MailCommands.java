package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.FromHeader;
import io.github.senderwhitelist.mailet.mail.MailContent;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeUtility;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands in a mail: the subject if it is one, and the user's own first lines of its text.
 *
 * <p>Lines that begin with {@code >} are quoted, and passed over. So are lines in brackets before
 * all others, such as {@code [EXTERNAL]}, by which gateways mark mails. The first other line that
 * is no command ends the commands, and so does {@code yes}, which must be the first of them.
 *
 * @param commands the commands in their order
 * @param remark what was not read and why, in one line for people; null when all was read
 */
record MailCommands(List<MailCommand> commands, @Nullable String remark) {
    /** How many commands of a mail are read. */
    static final int MAX_COMMANDS = 100;

    /** The longest subject that is read, in characters as it is encoded. */
    private static final int MAX_SUBJECT = 4_000;

    private static final String QUOTE = ">";

    private static final MailCommand LATE_YES =
            new MailCommand.Wrong("yes", "it counts only as the first line of a reply");

    /** Copies the commands. */
    MailCommands {
        commands = List.copyOf(commands);
    }

    /** Reads the commands in a mail. */
    static MailCommands of(MimeMessage message) throws MessagingException, IOException {
        List<MailCommand> commands = new ArrayList<>();
        String subject = subject(message);
        MailCommand first = MailCommand.parse(subject);
        if (first != null) {
            commands.add(first);
        }
        String text = MailContent.of(message).text();
        String remark;
        if (text == null) {
            remark = "The mail has no text, so no lines were read.";
        } else {
            remark = read(text, commands);
        }
        // With a command in the subject, what follows is most likely not meant to be one.
        boolean onlySubject = first != null && commands.size() == 1;
        if (commands.isEmpty() && remark == null) {
            remark = "The subject is no command, and the mail has no text of its own.";
        }
        return new MailCommands(commands, onlySubject ? null : remark);
    }

    /** Adds the commands in a text. Returns why it was not read to its end, or null. */
    private static @Nullable String read(String text, List<MailCommand> commands) {
        // Text that was HTML has blanks that do not break.
        List<String> lines = text.replace('\u00a0', ' ').lines().map(String::strip).toList();
        boolean first = true;
        int marks = (int) lines.stream().takeWhile(MailCommands::isMark).count();
        for (int i = marks + afterLeadIn(lines.subList(marks, lines.size()));
                i < lines.size();
                i++) {
            String line = lines.get(i);
            if (line.isEmpty() || line.startsWith(QUOTE)) {
                continue;
            }
            MailCommand command = MailCommand.parse(line);
            if (command == null) {
                return "Line "
                        + (i + 1)
                        + (asksForChanges(commands) ? "" : ", '" + Text.shown(line) + "',")
                        + " is no command. It and what follows was not read.";
            }
            if (command == MailCommand.Word.YES) {
                commands.add(first ? command : LATE_YES);
                return null;
            }
            if (commands.size() == MAX_COMMANDS) {
                return "Line "
                        + (i + 1)
                        + " and what follows was not read: a mail may have "
                        + MAX_COMMANDS
                        + " commands.";
            }
            commands.add(command);
            first = false;
        }
        return null;
    }

    /** Returns whether a line is empty or a gateway's mark. */
    private static boolean isMark(String line) {
        return line.isEmpty() || (line.startsWith("[") && line.indexOf(']') == line.length() - 1);
    }

    /** Returns whether a question follows, in which a stranger's words must not stand. */
    private static boolean asksForChanges(List<MailCommand> commands) {
        return commands.stream().anyMatch(MailCommand.Change.class::isInstance);
    }

    /**
     * Returns where the text begins after one or two lines such as "On 24.11.26 sam@here.example
     * wrote:", which mail programs put before what they quote when one writes below it.
     */
    private static int afterLeadIn(List<String> lines) {
        int quoted = 0;
        while (quoted < lines.size() && !lines.get(quoted).startsWith(QUOTE)) {
            quoted++;
        }
        List<String> before =
                lines.subList(0, quoted).stream().filter(line -> !line.isEmpty()).toList();
        boolean isLeadIn =
                quoted < lines.size()
                        && !before.isEmpty()
                        && before.size() <= 2
                        && before.getLast().endsWith(":")
                        && before.stream().allMatch(MailCommands::namesDateOrAddress);
        return isLeadIn ? quoted : 0;
    }

    private static boolean namesDateOrAddress(String line) {
        return MailCommand.parse(line) == null
                && line.chars().anyMatch(c -> c == '@' || Character.isDigit(c));
    }

    /** Returns the subject decoded and on one line, or nothing if it is too long to be read. */
    static String subject(MimeMessage message) throws MessagingException {
        String[] subjects = message.getHeader("Subject");
        if (subjects == null || subjects[0].length() > MAX_SUBJECT) {
            return "";
        }
        String raw = FromHeader.decoded(subjects[0]);
        String unfolded = MimeUtility.unfold(raw == null ? subjects[0] : raw);
        try {
            return MimeUtility.decodeText(unfolded);
        } catch (UnsupportedEncodingException e) {
            return unfolded;
        }
    }
}
