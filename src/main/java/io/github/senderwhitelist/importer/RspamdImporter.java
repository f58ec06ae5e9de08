package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.None;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports map files of Rspamd. They mean what they mean to a multimap of type {@code from} without
 * a filter, or to the whitelist module. Files do not say what they are of, but their names do when
 * Rspamd ships them, and sometimes a value does.
 */
final class RspamdImporter extends LineImporter {
    static final String OTHER_EXPRESSION =
            "an expression that says more or less than entries can; taken are"
                    + " /^alice@example\\.com$/i, /@example\\.com$/i, /@.+\\.example\\.com$/i and"
                    + " /@(.+\\.)?example\\.com$/i";

    private static final String ONLY_DOMAINS =
            "matches nothing in Rspamd's whitelist module, which knows only domains";

    private static final Set<String> GMAIL = Set.of("gmail.com", "googlemail.com");

    private static final Pattern NAME =
            Pattern.compile("(?:.*[/\\\\])?([^/\\\\]+?)(?:\\.(?:inc|map|txt|local|gz))*");

    /** Names of maps of the whitelist module. */
    private static final Set<String> CONFIRMED =
            Set.of("spf_whitelist", "dkim_whitelist", "spf_dkim_whitelist", "dmarc_whitelist");

    /** Names of maps without senders, such as domains below which anyone registers names. */
    private static final Set<String> OTHER =
            Set.of(
                    "2tld",
                    "equivalent_domains",
                    "maillist",
                    "mid",
                    "redirectors",
                    "surbl-whitelist",
                    "suspicious_tlds");

    /** A key, which may be quoted, and the value or comment behind it. */
    private static final Pattern ENTRY =
            Pattern.compile(
                    "(?:\"(?<quoted>(?:\\\\.|[^\"\\\\])*+)\"|(?<plain>(?:\\\\#|[^\\s#\"])"
                            + "(?:\\\\#|[^\\s#])*+))(?<value>.*)");

    private final AuthRequirement auth;

    /**
     * Makes an importer.
     *
     * @param auth what must confirm the senders of maps of the whitelist module; {@code NONE} means
     *     that the maps belong to a multimap
     */
    RspamdImporter(Ledger ledger, AuthRequirement auth) {
        super(ledger);
        this.auth = auth;
    }

    @Override
    public void begin(ForeignText text) throws ListRefusedException {
        Matcher name = NAME.matcher(text.name());
        String map = name.matches() ? name.group(1) : text.name();
        if (OTHER.contains(map)) {
            throw new ListRefusedException(
                    text.name()
                            + ": Rspamd has a map of this name, which lists no senders"
                            + Ledger.NO_IMPORT
                            + "; if yours is another one, give it another name");
        }
        if (auth == AuthRequirement.NONE && CONFIRMED.contains(map)) {
            throw new ListRefusedException(
                    text.name() + ": a map of this name" + NEEDS_AUTH + Ledger.NO_IMPORT);
        }
    }

    private static final String NEEDS_AUTH =
            " is of Rspamd's whitelist module, which welcomes senders only when SPF, DKIM or DMARC"
                    + " has confirmed them; say what is to confirm them with --auth spf, --auth"
                    + " dkim, or --auth any (one of both, as for DMARC)";

    @Override
    String withoutComment(String line) {
        return HiddenCharacters.strip(line).startsWith("#") ? "" : line;
    }

    @Override
    void entry(String line) throws ListRefusedException {
        String text = HiddenCharacters.strip(line);
        boolean multimap = auth == AuthRequirement.NONE;
        if (text.startsWith("/")) {
            List<SenderPattern> patterns = multimap ? RspamdExpression.patterns(text) : List.of();
            if (patterns.isEmpty()) {
                ledger.report(text, multimap ? OTHER_EXPRESSION : ONLY_DOMAINS);
            }
            patterns.forEach(this::take);
            return;
        }
        Matcher parts = ENTRY.matcher(text);
        if (!parts.matches()) {
            ledger.bad(text, "a quote that is not closed");
            return;
        }
        String quoted = parts.group("quoted");
        String key = HiddenCharacters.strip(quoted == null ? parts.group("plain") : quoted);
        String value = HiddenCharacters.strip(parts.group("value"));
        if (value.startsWith("/")) {
            throw ledger.refused(
                    "a regular expression behind a domain, as in maps of Message-IDs, which list no"
                            + " senders");
        }
        if (multimap && value.matches("(?:wl|bl|both):.*")) {
            throw ledger.refused("this" + NEEDS_AUTH);
        }
        if (multimap) {
            take(pattern(key));
        } else if (value.startsWith("bl:")) {
            ledger.report(
                    key,
                    "with 'bl:' a domain only counts against unconfirmed mails, and lists no"
                            + " sender");
        } else if (key.indexOf('@') >= 0 || key.indexOf('*') >= 0) {
            ledger.report(key, ONLY_DOMAINS);
        } else {
            take(pattern(key));
        }
    }

    private static SenderPattern pattern(String key) {
        if (key.indexOf('*') >= 0 || key.indexOf('?') >= 0) {
            return SenderPattern.ofGlob(key);
        }
        if (key.startsWith("@")) {
            return new None(key, "matches nothing in Rspamd, which writes the domain without '@'");
        }
        if (key.indexOf('@') > 0) {
            return new Exact(key);
        }
        return key.indexOf('.') < 0 && !SenderPattern.isNetwork(key)
                ? new None(key, "a user at every domain has no equivalent")
                : new Domain(key);
    }

    /**
     * Takes a pattern. Rspamd removes tags from senders, and dots from those at Gmail, before it
     * compares them. So a key with a tag or such dots never matches.
     */
    private void take(SenderPattern pattern) {
        String text = pattern.text();
        int at = text.lastIndexOf('@');
        int plus = text.indexOf('+');
        if (pattern instanceof Exact && plus > 0 && plus < at) {
            ledger.report(text, "matches nothing in Rspamd, which takes tags off senders first");
        } else if (pattern instanceof Exact
                && GMAIL.contains(text.substring(at + 1).toLowerCase(Locale.ROOT))
                && text.lastIndexOf('.', at) >= 0) {
            ledger.report(
                    text,
                    "matches nothing in Rspamd, which takes the dots off senders at Gmail first");
        } else {
            boolean multimap = auth == AuthRequirement.NONE;
            ledger.take(pattern, false, multimap ? "" : "auth=" + auth.label());
        }
    }
}
