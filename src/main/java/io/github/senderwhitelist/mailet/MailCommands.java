package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Text;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeUtility;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands in a mail: the subject if it is one, and the first lines of its plain text.
 *
 * <p>The first line that is no command ends them. So what an answer quotes is never a command,
 * whatever a stranger has written there.
 *
 * @param commands the commands in their order
 * @param remark what was not read and why, in one line for people; null when all was read
 */
record MailCommands(List<MailCommand> commands, @Nullable String remark) {
    /** How many commands of a mail are read. */
    static final int MOST = 100;

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
        String text = PlainText.of(message);
        String remark;
        if (text == null) {
            remark = "The mail has no plain text, so no lines were read.";
        } else {
            remark = read(text, commands);
        }
        // With a command in the subject, what follows is most likely not meant to be one.
        boolean onlySubject = first != null && commands.size() == 1;
        if (commands.isEmpty() && remark == null) {
            remark = "The subject is no command, and the mail has no text.";
        }
        return new MailCommands(commands, onlySubject ? null : remark);
    }

    /** Adds the commands in a text. Returns why it was not read to its end, or null. */
    private static @Nullable String read(String text, List<MailCommand> commands) {
        int number = 0;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            MailCommand command = MailCommand.parse(line);
            if (command == null) {
                return "Line "
                        + number
                        + ", '"
                        + Text.shown(line.strip())
                        + "', is no command. It and what follows was not read.";
            }
            if (commands.size() == MOST) {
                return "Line "
                        + number
                        + " and what follows was not read: a mail may have "
                        + MOST
                        + " commands.";
            }
            commands.add(command);
        }
        return null;
    }

    private static String subject(MimeMessage message) throws MessagingException {
        String[] subjects = message.getHeader("Subject");
        if (subjects == null || subjects[0].length() > MailCommand.LONGEST) {
            return "";
        }
        String unfolded = MimeUtility.unfold(subjects[0]);
        try {
            return MimeUtility.decodeText(unfolded);
        } catch (UnsupportedEncodingException e) {
            return unfolded;
        }
    }
}
