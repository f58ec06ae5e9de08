package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Imports Postfix access tables of senders (access(5), in the text format of postmap(1)).
 *
 * <p>Only an action that accepts lists a sender: {@code OK}, {@code permit}, or digits alone. Only
 * one that refuses for good becomes an entry with {@code !}, since that overrides what users list.
 * Every other action says nothing of the sender and is reported.
 */
final class PostfixImporter implements Importer {
    /**
     * The longest part of an action that is kept, in characters. More is not needed to recognize
     * it.
     */
    private static final int MAX_ACTION = 8192;

    /** Lines that begin or end a block in regexp:, pcre: and cidr: tables. */
    private static final Pattern CONDITION = Pattern.compile("(?i)endif|if\\s+!?[/\\[0-9].*");

    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Pattern REFUSES =
            Pattern.compile("(?i)(?:REJECT|DISCARD)(?:\\s.*)?|5[0-9][0-9]\\s.*");

    /** Actions that neither accept nor refuse for good. Other words are restrictions. */
    private static final Pattern NEITHER =
            Pattern.compile(
                    "(?i)(?:DUNNO|DEFER|DEFER_IF_(?:REJECT|PERMIT)|HOLD|FILTER|PREPEND|REDIRECT|BCC"
                            + "|INFO|WARN)(?:\\s.*)?|4[0-9][0-9]\\s.*");

    private final Ledger ledger;
    private final boolean parentDomains;

    /**
     * Makes an importer.
     *
     * @param parentDomains whether {@code parent_domain_matches_subdomains} contains {@code
     *     smtpd_access_maps}, as it does by default
     */
    PostfixImporter(Ledger ledger, boolean parentDomains) {
        this.ledger = ledger;
        this.parentDomains = parentDomains;
    }

    @Override
    public ListReader open(InputStream in, String name) {
        return new Table(new LineReader(in, name));
    }

    /** Joins continued lines and imports the entries. */
    private final class Table implements ListReader {
        private final LineReader lines;
        private @Nullable Line ahead;

        Table(LineReader lines) {
            this.lines = lines;
        }

        @Override
        public boolean next() throws IOException {
            Line first = ahead == null ? lines.next() : ahead;
            ahead = null;
            if (first == null) {
                return false;
            }
            if (isBlank(first)) {
                ledger.blank(1);
                return true;
            }
            if (isContinuation(first)) {
                ledger.open(first);
                ledger.bad(first.text(), "begins with white space, but continues no line");
                return true;
            }
            add(first);
            return true;
        }

        private void add(Line first) throws IOException {
            ledger.open(first);
            StringBuilder text = new StringBuilder(first.text());
            for (ahead = lines.next(); ahead != null; ahead = lines.next()) {
                if (isBlank(ahead)) {
                    ledger.blank(1);
                } else if (isContinuation(ahead)) {
                    ledger.continueLine();
                    if (text.length() < MAX_ACTION) {
                        text.append(ahead.text());
                    }
                } else {
                    break;
                }
            }
            if (first.cut()) {
                ledger.bad(first.text(), LineReader.CUT);
            } else {
                entry(text.toString());
            }
        }
    }

    private static boolean isBlank(Line line) {
        String text = HiddenCharacters.strip(line.text());
        return text.isEmpty() || text.charAt(0) == '#';
    }

    private static boolean isContinuation(Line line) {
        return HiddenCharacters.isWhiteSpace(line.text().charAt(0)) && line.text().charAt(0) < 0x80;
    }

    private void entry(String text) {
        if (CONDITION.matcher(HiddenCharacters.strip(text)).matches()) {
            ledger.report(text, "a condition, which regexp:, pcre: and cidr: tables have");
            return;
        }
        int end = endOfKey(text);
        String key = HiddenCharacters.strip(text.substring(0, Math.max(0, end)));
        String action = HiddenCharacters.strip(text.substring(Math.max(0, end)));
        if (end < 0) {
            ledger.bad(text, "a quote that is not closed");
        } else if (action.isEmpty()) {
            ledger.bad(text, "an action is missing; expected: pattern, white space, action");
        } else {
            entry(key, action);
        }
    }

    /**
     * Returns the index of the white space that ends the key, or -1 when a quote is not closed.
     * White space within quotes does not end the key.
     */
    private static int endOfKey(String text) {
        boolean quoted = false;
        int i = 0;
        while (i < text.length() && (quoted || !Character.isWhitespace(text.charAt(i)))) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            }
            i++;
        }
        return quoted ? -1 : Math.min(i, text.length());
    }

    private void entry(String key, String action) {
        boolean literal = key.startsWith("[") && key.endsWith("]");
        if (!literal && Network.matches(key)) {
            ledger.network(key);
            return;
        }
        String none = withoutEquivalent(key);
        if (none != null) {
            ledger.report(key, none);
            return;
        }
        boolean denied = REFUSES.matcher(action).matches();
        if (!denied && !accepts(action)) {
            ledger.report(key, neither(action));
            return;
        }
        int at = key.lastIndexOf('@');
        if (at > 0) {
            ledger.take(new Exact(key), denied, "");
        } else if (key.startsWith(".")) {
            ledger.take(new Subdomains(key.substring(1)), denied, "");
        } else {
            ledger.take(new Domain(key), denied, "");
            if (parentDomains && !key.startsWith("[")) {
                ledger.take(new Subdomains(key), denied, "");
            }
        }
    }

    private static String neither(String action) {
        String what =
                NEITHER.matcher(action).matches()
                        ? "'" + action.split("\\s", 2)[0] + "' neither accepts nor refuses"
                        : "'" + Text.shown(action) + "' depends on more than the sender";
        return what + ", so it is left out; a wider pattern that is taken counts for this sender";
    }

    private @Nullable String withoutEquivalent(String key) {
        if (key.equals("<>")) {
            return "the null sender is never listed";
        }
        if (key.startsWith("/") || key.startsWith("!/")) {
            return "regular expressions have no equivalent";
        }
        if (key.endsWith("@")) {
            return "a user at every domain has no equivalent";
        }
        if (key.startsWith("@")) {
            return "matches nothing in Postfix, which writes the domain without '@'";
        }
        if (key.startsWith("*@")) {
            return "matches nothing in Postfix, whose tables know no '*'";
        }
        if (key.startsWith("\"")
                && AddressSyntax.parse(key) instanceof WellFormed(Address address)
                && !address.toString().startsWith("\"")) {
            return "matches nothing in Postfix, which takes off quotes that change nothing; if this"
                    + " address is meant, write "
                    + address;
        }
        if (key.startsWith(".") && parentDomains) {
            return "matches nothing in Postfix while parent_domain_matches_subdomains has"
                    + " smtpd_access_maps, as by default; if yours has not: --no-parent-domains";
        }
        return null;
    }

    /**
     * Returns whether an action accepts the sender. An action of digits only does. A code of three
     * digits rejects only with a text after it.
     */
    private static boolean accepts(String action) {
        return action.equalsIgnoreCase("OK")
                || action.toUpperCase(Locale.ROOT).matches("OK\\s.*")
                || action.equalsIgnoreCase("permit")
                || DIGITS.matcher(action).matches();
    }
}
