package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a user asks for in one line of a mail. As a string it is that line, in plain form. */
sealed interface MailCommand {
    /** The longest line that can be a command, in characters. */
    int MAX_LINE = 1_000;

    /** Some programs write the address of a link behind its text. */
    Pattern LINKED = Pattern.compile("(\\S+)\\s*<mailto:(\\S+)>", Pattern.CASE_INSENSITIVE);

    Pattern BRACKETED = Pattern.compile("<(\\S+)>");

    /** A command that is one word. */
    enum Word implements MailCommand {
        /** Asks for the user's entries. */
        SHOW,
        /** Asks what can be asked. */
        HELP,
        /** Confirms the changes in the subject. */
        YES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Asks for a change of the user's entries, which needs the user's confirmation.
     *
     * @param adds whether to list the sender, or else to list it no more
     */
    record Change(boolean adds, Address sender) implements MailCommand {
        @Override
        public String toString() {
            return (adds ? "add " : "remove ") + sender;
        }
    }

    /**
     * Cannot be understood, though it begins as a command does.
     *
     * @param line the line as people can read it
     * @param reason what was found and what is allowed, in one line for people
     */
    record Wrong(String line, String reason) implements MailCommand {
        @Override
        public String toString() {
            return line;
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
            case "add" -> change(true, text, plain(rest));
            case "remove" -> change(false, text, plain(rest));
            default -> null;
        };
    }

    private static Wrong wrong(String line, String reason) {
        return new Wrong(Text.shown(line), reason);
    }

    private static MailCommand alone(String line, String rest, MailCommand command) {
        return rest.isEmpty()
                ? command
                : wrong(line, "'" + Text.shown(rest) + "'; allowed: nothing after it");
    }

    private static MailCommand change(boolean adds, String line, String written) {
        if (written.isEmpty()) {
            return wrong(line, "the address is missing; allowed: local@domain");
        }
        if (written.startsWith("*@")) {
            return wrong(line, "patterns are not known; allowed: local@domain");
        }
        return switch (AddressSyntax.parse(written)) {
            case WellFormed(Address sender) when !isPlain(sender.toString()) ->
                    wrong(
                            line,
                            "the address has blanks or characters that do not show; only the"
                                    + " administrator can change its entry");
            case WellFormed(Address sender) -> new Change(adds, sender);
            case Malformed(String reason) when reason.contains("allowed") -> wrong(line, reason);
            case Malformed(String reason) -> wrong(line, reason + "; allowed: local@domain");
        };
    }

    /** Returns whether people see what an address is, and mail programs cannot fold within it. */
    private static boolean isPlain(String address) {
        return address.indexOf(' ') < 0 && Text.escaped(address).equals(address);
    }

    /** Returns an address without what mail programs put around it. */
    private static String plain(String written) {
        Matcher linked = LINKED.matcher(written);
        if (linked.matches() && linked.group(1).equalsIgnoreCase(linked.group(2))) {
            return linked.group(1);
        }
        Matcher bracketed = BRACKETED.matcher(written);
        return bracketed.matches() ? bracketed.group(1) : written;
    }
}
