package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports map files of Rspamd. They mean what they mean to a multimap of type {@code from} without
 * a filter, or to the whitelist module. Files do not say what they are of, but their names do when
 * Rspamd ships them, and sometimes a value does.
 */
final class RspamdImporter extends Importer {
    private static final String NEEDS_AUTH =
            " is of Rspamd's whitelist module, which welcomes senders only when SPF, DKIM or DMARC"
                    + " has confirmed them; say what is to confirm them with --auth spf, --auth"
                    + " dkim, or --auth any (one of both, as for DMARC)";

    /** Names of maps of the whitelist module. */
    private static final Pattern CONFIRMED =
            Pattern.compile("(?:.*[/\\\\])?(?:spf|dkim|spf_dkim|dmarc)_whitelist(?:\\..*)?");

    /** Names of maps without senders, such as domains below which anyone registers names. */
    private static final Pattern OTHER =
            Pattern.compile(
                    "(?:.*[/\\\\])?(?:2tld|equivalent_domains|maillist|mid|redirectors"
                            + "|surbl-whitelist|suspicious_tlds)(?:\\..*)?");

    /** What Rspamd looks up after it has taken tags off senders, and dots off those at Gmail. */
    private static final Pattern NEVER_ASKED =
            Pattern.compile("(?i)[^@]+\\+.*@.*|.*\\..*@(?:gmail|googlemail)\\.com");

    /** A longer expression names no address. Matching takes some stack for each character. */
    private static final int MAX_EXPRESSION = 1000;

    /**
     * The expressions that say the same as entries. A dot that is not escaped between words is
     * taken for a dot, too: that lists fewer senders than the expression, never more.
     */
    private static final Pattern EXPRESSION =
            Pattern.compile(
                    ("/(?:\\^(?<local>WORD(?:\\\\?\\.WORD)*)\\\\?@|(?:\\^?\\.[*+])?\\\\?@(?:|(?<below>\\.[*+]\\\\\\.)"
                         + "|(?<both>\\((?:\\?:)?\\.[*+]\\\\\\.\\)\\?)))"
                         + "(?<domain>LABEL(?:\\\\?\\.LABEL)*)\\$/i?(?:\\s.*)?")
                            .replace("WORD", "(?:[\\w=&'#~%!-]|\\\\[-_+=&'#~%!/])+")
                            .replace("LABEL", "(?:[a-zA-Z0-9]|\\\\?[-_])+"));

    private final AuthRequirement auth;
    private final boolean multimap;

    /**
     * Makes an importer.
     *
     * @param auth what must confirm the senders of maps of the whitelist module; {@code NONE} means
     *     that the maps belong to a multimap
     */
    RspamdImporter(Sink sink, AuthRequirement auth) throws ListRefusedException {
        super(sink, "^\\s*#.*");
        this.auth = auth;
        this.multimap = auth == AuthRequirement.NONE;
        if (OTHER.matcher(sink.name).matches()) {
            throw sink.refused(
                    "Rspamd has a map of this name, which lists no senders; if yours is another"
                            + " one, give it another name");
        }
        if (multimap && CONFIRMED.matcher(sink.name).matches()) {
            throw sink.refused("a map of this name" + NEEDS_AUTH);
        }
    }

    @Override
    void entry(String line) throws ListRefusedException {
        String text = HiddenCharacters.strip(line);
        String[] parts = firstAndRest(text.replace("#", " #"));
        String key = parts[0];
        String value = parts[1];
        if (multimap && text.startsWith("/")) {
            expression(text);
        } else if (multimap && value.matches("(?s)(?:wl|bl|both):.*")) {
            throw sink.refused("this" + NEEDS_AUTH);
        } else if (text.startsWith("\"")) {
            sink.report(text, "a quoted key; add it by hand");
        } else if (multimap) {
            multimap(key);
        } else if (value.startsWith("bl:")) {
            sink.report(text, "'bl:' lists no sender");
        } else if (!key.matches("[^/@*]+")) {
            sink.report(
                    text, "matches nothing in Rspamd's whitelist module, which knows only domains");
        } else {
            sink.take(sink.key("@", key), false, " auth=" + auth.label());
        }
    }

    private void multimap(String key) {
        if (NEVER_ASKED.matcher(key).matches()) {
            sink.report(
                    key,
                    "matches nothing in Rspamd, which takes tags off senders, and dots off those at"
                            + " Gmail, first");
        } else if (key.startsWith("@")) {
            sink.report(key, "matches nothing in Rspamd, which writes the domain without '@'");
        } else if (key.matches("[^.:@*?]+")) {
            sink.report(key, "a user at every domain has no equivalent");
        } else {
            sink.take(sink.sender(key));
        }
    }

    private void expression(String text) {
        Matcher parts = EXPRESSION.matcher(text);
        if (text.length() > MAX_EXPRESSION || !parts.matches()) {
            sink.report(
                    text,
                    "an expression that says more or less than entries can; taken are"
                            + " /^alice@example\\.com$/i, /@example\\.com$/i,"
                            + " /@.+\\.example\\.com$/i and /@(.+\\.)?example\\.com$/i");
            return;
        }
        String domain = parts.group("domain").replace("\\", "");
        if (parts.group("local") != null) {
            multimap(parts.group("local").replace("\\", "") + "@" + domain);
            return;
        }
        if (parts.group("below") == null) {
            sink.take(sink.key("@", domain));
        }
        if (parts.group("below") != null || parts.group("both") != null) {
            sink.take(sink.key("@.", domain));
        }
    }
}
