package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a user asks for in one line of a mail. */
sealed interface MailCommand {
    /** The longest line that can be a command, in characters. */
    int MAX_LINE = 1_000;

    /** Some programs write the address of a link behind its text. */
    Pattern LINKED = Pattern.compile("(\\S+)\\s*<mailto:(\\S+)>", Pattern.CASE_INSENSITIVE);

    Pattern BRACKETED = Pattern.compile("<(\\S+)>");

    /** Asks for the user's entries. */
    record Show() implements MailCommand {
        @Override
        public String toString() {
            return "show";
        }
    }

    /** A change of the user's entries, which needs the user's confirmation. */
    sealed interface Change extends MailCommand {
        /** Returns what it does, in plain words. */
        String meaning();

        /**
         * Makes the change. Returns what has come of it, for the user.
         *
         * @throws IOException if the database fails; it may be done or not, or in part
         */
        String make(OwnEntries entries) throws IOException;
    }

    /** Asks to list a sender. */
    record Add(Address sender) implements Change {
        @Override
        public String meaning() {
            return "lists this sender for you";
        }

        @Override
        public String make(OwnEntries entries) throws IOException {
            return entries.add(sender.key());
        }

        @Override
        public String toString() {
            return "add " + sender;
        }
    }

    /** Asks to list a sender no more. */
    record Remove(Address sender) implements Change {
        @Override
        public String meaning() {
            return "removes your entry for this sender";
        }

        @Override
        public String make(OwnEntries entries) throws IOException {
            return entries.remove(sender.key());
        }

        @Override
        public String toString() {
            return "remove " + sender;
        }
    }

    /** Confirms the changes in the subject. */
    record Yes() implements MailCommand {
        @Override
        public String toString() {
            return "yes";
        }
    }

    /** Asks what can be asked. */
    record Help() implements MailCommand {
        @Override
        public String toString() {
            return "help";
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
            case "yes", "yes.", "yes!" -> alone(text, rest, new Yes());
            case "show" -> alone(text, rest, new Show());
            case "help" -> alone(text, rest, new Help());
            case "add" -> ofSender(text, rest, true);
            case "remove" -> ofSender(text, rest, false);
            default -> null;
        };
    }

    private static MailCommand alone(String line, String rest, MailCommand command) {
        return rest.isEmpty()
                ? command
                : new Wrong(
                        Text.shown(line), "'" + Text.shown(rest) + "'; allowed: nothing after it");
    }

    private static MailCommand ofSender(String line, String written, boolean add) {
        if (written.isEmpty()) {
            return new Wrong(Text.shown(line), "the address is missing; allowed: local@domain");
        }
        if (plain(written).startsWith("*@")) {
            return new Wrong(Text.shown(line), "patterns are not known; allowed: local@domain");
        }
        return switch (AddressSyntax.parse(plain(written))) {
            case WellFormed(Address sender) when !isPlain(sender) ->
                    new Wrong(
                            Text.shown(line),
                            "the address has blanks or characters that do not show; only the"
                                    + " administrator can change its entry");
            case WellFormed(Address sender) -> add ? new Add(sender) : new Remove(sender);
            case Malformed(String reason) ->
                    new Wrong(
                            Text.shown(line),
                            reason.contains("allowed")
                                    ? reason
                                    : reason + "; allowed: local@domain");
        };
    }

    /**
     * Returns whether people can see what an address is, and mail programs cannot fold within it.
     */
    private static boolean isPlain(Address sender) {
        String text = sender.toString();
        return text.indexOf(' ') < 0 && Text.escaped(text).equals(text);
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
