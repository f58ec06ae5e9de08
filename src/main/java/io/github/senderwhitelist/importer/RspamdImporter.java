package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports map files of Rspamd, as a multimap of type {@code from} without a filter reads them.
 * Names tell others that Rspamd ships, and values those of the whitelist module, which welcomes
 * only senders that are confirmed.
 */
final class RspamdImporter extends Importer {
    /** Names of maps of the whitelist module, and of maps without senders. */
    private static final Pattern OTHER =
            Pattern.compile(
                    "(?:.*[/\\\\])?(?:(?:spf|dkim|spf_dkim|dmarc)_whitelist|2tld"
                            + "|equivalent_domains|maillist|mid|redirectors|surbl-whitelist"
                            + "|suspicious_tlds)(?:\\..*)?");

    /** What Rspamd looks up after it has taken tags off senders, and dots off those at Gmail. */
    private static final Pattern NEVER_ASKED =
            Pattern.compile("(?i)@.*|[^@]+\\+.*@.*|.*\\..*@(?:gmail|googlemail)\\.com");

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

    RspamdImporter(Sink sink) throws ListRefusedException {
        super(sink, "^\\s*#.*");
        if (OTHER.matcher(sink.name).matches()) {
            throw sink.refused(
                    "Rspamd has a map of this name, which lists no senders, or only when they are"
                            + " confirmed; if yours is of another kind, give it another name");
        }
    }

    @Override
    void entry(String line) throws ListRefusedException {
        String text = HiddenCharacters.strip(line);
        String[] parts = firstAndRest(text.replace("#", " #"));
        if (text.startsWith("/")) {
            expression(text);
        } else if (parts[1].matches("(?s)(?:wl|bl|both):.*")) {
            throw sink.refused(
                    "this is of Rspamd's whitelist module, which welcomes senders only when SPF,"
                            + " DKIM or DMARC has confirmed them");
        } else {
            multimap(parts[0]);
        }
    }

    private void multimap(String key) {
        if (NEVER_ASKED.matcher(key).matches()) {
            sink.report(
                    key,
                    "matches nothing in Rspamd, which writes a domain without '@', and takes tags"
                            + " off senders, and dots off those at Gmail, first");
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
