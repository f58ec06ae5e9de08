package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.FromHeader;
import io.github.senderwhitelist.mailet.mail.MailContent;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeUtility;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a user asks for in a mail: by its subject if that is a command, or else by the user's own
 * first line of its text. As a string it is that line, in plain form.
 *
 * <p>Lines that begin with {@code >} are quoted, and none of the user's own. Nor are lines in
 * brackets, such as {@code [EXTERNAL]}, by which gateways mark mails, nor the one or two lines that
 * mail programs put before what they quote, such as "On 24.11.26 sam@here.example wrote:".
 */
sealed interface MailCommand {
    int MAX_LINE = 1_000;

    /** The longest subject that is read, in characters as it is encoded. */
    int MAX_SUBJECT = 4_000;

    /**
     * The longest address, in characters. Outlook cuts subjects after 255, and programs write "Re:"
     * before them.
     */
    int MAX_ADDRESS = 190;

    /** An address in what mail programs put around it, perhaps behind the text of a link. */
    Pattern BRACKETED = Pattern.compile("<(\\S+)>|(\\S+)\\s*<(?i:mailto:\\2)>");

    String ALLOWED = "; allowed: local@domain";
    String NOT_PLAIN =
            "the address is a pattern, is too long, or has blanks or characters that do not show";

    enum Word implements MailCommand {
        /** Asks for the user's entries. */
        SHOW,
        /** Asks what can be asked. */
        HELP,
        /** Confirms the change in the subject. */
        YES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Asks for a sender to be listed, or to be listed no more, which is to be confirmed. */
    record Change(boolean adds, Address sender) implements MailCommand {
        @Override
        public String toString() {
            return (adds ? "add " : "remove ") + sender;
        }
    }

    /** A line that cannot be understood, and why, as people can read them. */
    record Wrong(String line, String reason) implements MailCommand {
        @Override
        public String toString() {
            return line;
        }
    }

    static MailCommand of(MimeMessage message) throws MessagingException, IOException {
        MailCommand subject = parse(subject(message));
        if (subject != null) {
            return subject;
        }
        String text = MailContent.of(message).text();
        String line = text == null ? null : ownLine(text);
        if (line == null) {
            return new Wrong(
                    "your mail", "the subject is no command, and the mail has no text of its own");
        }
        MailCommand command = parse(line);
        return command != null ? command : new Wrong(Text.shown(line), "this is no command");
    }

    /** Returns the user's own first line of a text, or null if there is none. */
    private static @Nullable String ownLine(String text) {
        // Text that was HTML has blanks that do not break.
        List<String> lines =
                text.replace('\u00a0', ' ')
                        .lines()
                        .map(String::strip)
                        .filter(line -> !line.matches("|\\[[^]]*]"))
                        .toList();
        List<String> before = lines.stream().takeWhile(line -> !line.startsWith(">")).toList();
        boolean isLeadIn =
                before.size() < lines.size()
                        && !before.isEmpty()
                        && before.size() <= 2
                        && before.getLast().endsWith(":")
                        && before.stream().allMatch(MailCommand::isOfLeadIn);
        return lines.stream()
                .skip(isLeadIn ? before.size() : 0)
                .filter(line -> !line.startsWith(">"))
                .findFirst()
                .orElse(null);
    }

    /** Returns whether a line names a date or an address, and is no command. */
    private static boolean isOfLeadIn(String line) {
        return parse(line) == null && line.chars().anyMatch(c -> c == '@' || Character.isDigit(c));
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

    /** Returns the command in a line, or null when the line does not begin as a command does. */
    static @Nullable MailCommand parse(String line) {
        String text = HiddenCharacters.strip(line.replace('\t', ' '));
        int end = text.indexOf(' ') < 0 ? text.length() : text.indexOf(' ');
        if (text.length() > MAX_LINE || text.chars().anyMatch(Character::isISOControl)) {
            return null;
        }
        String rest = HiddenCharacters.strip(text.substring(end));
        return switch (text.substring(0, end).toLowerCase(Locale.ROOT)) {
            case "yes", "yes.", "yes!" -> alone(text, rest, Word.YES);
            case "show" -> alone(text, rest, Word.SHOW);
            case "help" -> alone(text, rest, Word.HELP);
            case "add" -> change(true, text, rest);
            case "remove" -> change(false, text, rest);
            default -> null;
        };
    }

    private static MailCommand alone(String line, String rest, MailCommand command) {
        return rest.isEmpty()
                ? command
                : new Wrong(Text.shown(line), "allowed is nothing after the first word");
    }

    private static MailCommand change(boolean adds, String line, String written) {
        Matcher bracketed = BRACKETED.matcher(written);
        String address =
                !bracketed.matches()
                        ? written
                        : bracketed.group(1) == null ? bracketed.group(2) : bracketed.group(1);
        return switch (AddressSyntax.parse(address)) {
            case Address sender when isPlain(sender.toString()) -> new Change(adds, sender);
            case Address sender -> new Wrong(Text.shown(line), NOT_PLAIN + ALLOWED);
            case Malformed(String reason) ->
                    new Wrong(
                            Text.shown(line),
                            reason.contains("allowed") ? reason : reason + ALLOWED);
        };
    }

    /** Returns whether people see what an address is, and mail programs leave it as it is. */
    private static boolean isPlain(String address) {
        return address.indexOf(' ') < 0
                && !address.startsWith("*@")
                && address.length() <= MAX_ADDRESS
                && Text.escaped(address).equals(address);
    }
}
