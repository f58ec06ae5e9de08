package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports map files of Rspamd. They mean what they mean to a multimap of type {@code from} without
 * a filter, unless they have the name of a map of the whitelist module, which welcomes domains only
 * when SPF, DKIM or DMARC has confirmed them.
 */
final class RspamdImporter extends Importer {
    /** The names of maps that Rspamd ships: of its whitelist module, and without senders. */
    private static final Pattern SHIPPED =
            Pattern.compile(
                    "(?:.*[/\\\\])?(?:(?<module>spf|dkim|spf_dkim|dmarc)_whitelist"
                            + "|2tld|equivalent_domains|maillist|mid|redirectors|surbl-whitelist"
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

    /** The condition of a map of the whitelist module; empty for a multimap. */
    private final String auth;

    RspamdImporter(Sink sink) throws ListRefusedException {
        super(sink, "^\\s*#.*");
        Matcher shipped = SHIPPED.matcher(sink.name);
        String module = shipped.matches() ? shipped.group("module") : "";
        if (module == null) {
            throw sink.refused(
                    "Rspamd has a map of this name, which lists no senders; if yours is another"
                            + " one, give it another name");
        }
        auth =
                switch (module) {
                    case "" -> "";
                    case "spf", "dkim" -> " auth=" + module;
                    default -> " auth=any";
                };
    }

    @Override
    void entry(String line) throws ListRefusedException {
        String text = HiddenCharacters.strip(line);
        String[] parts = firstAndRest(text.replace("#", " #"));
        String value = parts[1];
        if (auth.isEmpty() && text.startsWith("/")) {
            expression(text);
        } else if (auth.isEmpty() && value.matches("(?s)(?:wl|bl|both):.*")) {
            throw sink.refused(
                    "this is of Rspamd's whitelist module, which welcomes senders only when they"
                            + " are confirmed; name the file after what confirms them:"
                            + " spf_whitelist, dkim_whitelist or dmarc_whitelist (one of both)");
        } else if (text.startsWith("\"")) {
            sink.report(text, "a quoted key; add it by hand");
        } else if (auth.isEmpty()) {
            multimap(parts[0]);
        } else if (value.startsWith("bl:")) {
            sink.report(text, "'bl:' lists no sender");
        } else if (!parts[0].matches("[^/@*]+")) {
            sink.report(
                    text, "matches nothing in Rspamd's whitelist module, which knows only domains");
        } else {
            sink.take(sink.key("@", parts[0]), false, auth);
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
