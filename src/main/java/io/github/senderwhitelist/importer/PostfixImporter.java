package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.None;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports Postfix access tables of senders (access(5), in the text format of postmap(1)).
 *
 * <p>Only an action that accepts lists a sender: {@code OK}, {@code permit}, or digits alone. Only
 * one that refuses for good becomes an entry with {@code !}, since that overrides what users list.
 * Every other action says nothing of the sender and is reported.
 */
final class PostfixImporter extends LineImporter {
    /** Lines that begin or end a block in regexp:, pcre: and cidr: tables. */
    private static final Pattern CONDITION = Pattern.compile("(?i)endif|if\\s+!?[/\\[0-9].*");

    /** A key, in which quotes may enclose white space, and the action behind it. */
    private static final Pattern ENTRY =
            Pattern.compile(
                    "(?s)(?<key>(?:\\\\.|\"(?:\\\\.|[^\"\\\\])*+\"|[^\\s\"\\\\])++)(?<action>.*)");

    /** A code of three digits refuses only with a text after it. */
    private static final Pattern ACCEPTS = Pattern.compile("(?is)OK(?:\\s.*)?|permit|[0-9]+");

    private static final Pattern REFUSES =
            Pattern.compile("(?is)(?:REJECT|DISCARD)(?:\\s.*)?|5[0-9][0-9]\\s.*");

    /** Actions that neither accept nor refuse for good. Other words are restrictions. */
    private static final Pattern NEITHER =
            Pattern.compile(
                    "(?is)(?:DUNNO|DEFER|DEFER_IF_(?:REJECT|PERMIT)|HOLD|FILTER|PREPEND|REDIRECT|BCC"
                        + "|INFO|WARN)(?:\\s.*)?|4[0-9][0-9]\\s.*");

    private final boolean parentDomains;

    /**
     * Makes an importer.
     *
     * @param parentDomains whether {@code parent_domain_matches_subdomains} contains {@code
     *     smtpd_access_maps}, as it does by default
     */
    PostfixImporter(Ledger ledger, boolean parentDomains) {
        super(ledger);
        this.parentDomains = parentDomains;
    }

    @Override
    String withoutComment(String line) {
        return line;
    }

    @Override
    boolean isNothing(String line) {
        String text = HiddenCharacters.strip(line);
        return text.isEmpty() || text.charAt(0) == '#';
    }

    @Override
    @Nullable String continuation(String line) {
        return beginsWithSpace(line) ? line : null;
    }

    private static boolean beginsWithSpace(String line) {
        return line.charAt(0) < 0x80 && HiddenCharacters.isWhiteSpace(line.charAt(0));
    }

    @Override
    void entry(String text) {
        if (beginsWithSpace(text)) {
            ledger.bad(text, "begins with white space, but continues no line");
            return;
        }
        if (CONDITION.matcher(HiddenCharacters.strip(text)).matches()) {
            ledger.report(text, "a condition, which regexp:, pcre: and cidr: tables have");
            return;
        }
        Matcher parts = ENTRY.matcher(text);
        if (!parts.matches()) {
            ledger.bad(text, "a quote that is not closed");
            return;
        }
        String key = HiddenCharacters.strip(parts.group("key"));
        String action = HiddenCharacters.strip(parts.group("action"));
        if (action.isEmpty()) {
            ledger.bad(text, "an action is missing; expected: pattern, white space, action");
        } else {
            entry(key, action);
        }
    }

    private void entry(String key, String action) {
        List<SenderPattern> patterns = patterns(key);
        boolean denied = REFUSES.matcher(action).matches();
        if (!(patterns.getFirst() instanceof None)
                && !denied
                && !ACCEPTS.matcher(action).matches()) {
            ledger.report(key, neither(action));
            return;
        }
        patterns.forEach(pattern -> ledger.take(pattern, denied, ""));
    }

    private static String neither(String action) {
        String what =
                NEITHER.matcher(action).matches()
                        ? "'" + action.split("\\s", 2)[0] + "' neither accepts nor refuses"
                        : "'" + Text.shown(action) + "' depends on more than the sender";
        return what + ", so it is left out; a wider pattern that is taken counts for this sender";
    }

    private List<SenderPattern> patterns(String key) {
        if (key.startsWith("/") || key.startsWith("!/")) {
            return List.of(new None(key, "regular expressions have no equivalent"));
        }
        if (key.startsWith("@") || key.startsWith("*@")) {
            return List.of(
                    new None(key, "matches nothing in Postfix, which writes a domain without '@'"));
        }
        if (key.startsWith("\"")
                && AddressSyntax.parse(key) instanceof WellFormed(Address address)
                && !address.toString().startsWith("\"")) {
            return List.of(
                    new None(
                            key,
                            "matches nothing in Postfix, which takes off quotes that change"
                                    + " nothing; if this address is meant, write "
                                    + address));
        }
        if (key.indexOf('@') > 0 || key.equals("<>")) {
            return List.of(new Exact(key));
        }
        if (key.startsWith(".")) {
            return List.of(
                    parentDomains
                            ? new None(
                                    key,
                                    "matches nothing in Postfix while"
                                            + " parent_domain_matches_subdomains has"
                                            + " smtpd_access_maps, as by default; if yours has not:"
                                            + " --no-parent-domains")
                            : new Subdomains(key.substring(1)));
        }
        return parentDomains && !key.startsWith("[") && !SenderPattern.isNetwork(key)
                ? List.of(new Domain(key), new Subdomains(key))
                : List.of(new Domain(key));
    }
}
