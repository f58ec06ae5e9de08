package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Imports map files of Rspamd. They mean what they mean to a multimap of type {@code from} without
 * a filter, or to the whitelist module.
 */
final class RspamdImporter implements Importer {
    static final String OTHER_EXPRESSION =
            "an expression that says more or less than entries can; taken are"
                    + " /^alice@example\\.com$/i, /@example\\.com$/i, /@.+\\.example\\.com$/i and"
                    + " /@(.+\\.)?example\\.com$/i";

    private static final String ONLY_DOMAINS =
            "matches nothing in Rspamd's whitelist module, which knows only domains";

    private static final Set<String> GMAIL = Set.of("gmail.com", "googlemail.com");

    private final Ledger ledger;
    private final AuthRequirement auth;

    /**
     * Makes an importer.
     *
     * @param auth what must confirm the senders of maps of the whitelist module; {@code NONE} means
     *     that the maps belong to a multimap
     */
    RspamdImporter(Ledger ledger, AuthRequirement auth) {
        this.ledger = ledger;
        this.auth = auth;
    }

    @Override
    public ListReader open(InputStream in, String name) throws IOException {
        LineReader lines = new LineReader(in, name);
        RspamdMap map = new RspamdMap(name);
        map.check(auth);
        return () -> next(lines, map);
    }

    private boolean next(LineReader lines, RspamdMap map) throws IOException {
        Line line = lines.next();
        if (line == null) {
            return false;
        }
        String text = HiddenCharacters.strip(line.text());
        if (text.isEmpty() || text.charAt(0) == '#') {
            ledger.blank(1);
            return true;
        }
        ledger.open(line);
        if (line.cut()) {
            ledger.bad(text, LineReader.CUT);
        } else if (text.charAt(0) == '/') {
            expression(text);
        } else if (text.charAt(0) == '"') {
            int end = endOfQuoted(text);
            if (end < 0) {
                ledger.bad(text, "a quote that is not closed");
            } else {
                entry(text.substring(1, end), text.substring(end + 1), line, map);
            }
        } else {
            int end = endOfKey(text);
            entry(text.substring(0, end), text.substring(end), line, map);
        }
        return true;
    }

    private void expression(String text) {
        List<SenderPattern> patterns = RspamdExpression.patterns(text);
        if (auth != AuthRequirement.NONE || patterns.isEmpty()) {
            ledger.report(text, auth == AuthRequirement.NONE ? OTHER_EXPRESSION : ONLY_DOMAINS);
            return;
        }
        for (SenderPattern pattern : patterns) {
            if (pattern instanceof Exact(String address)) {
                address(address);
            } else {
                ledger.take(pattern, false, "");
            }
        }
    }

    private void entry(String written, String behind, Line line, RspamdMap map) throws IOException {
        String key = HiddenCharacters.strip(written);
        String value = HiddenCharacters.strip(behind);
        map.check(value, line.number(), auth);
        if (auth == AuthRequirement.NONE) {
            key(key, "");
        } else if (RspamdMap.onlyBlocks(value)) {
            ledger.report(
                    key,
                    "with 'bl:' a domain only counts against unconfirmed mails, and lists no"
                            + " sender");
        } else if (key.indexOf('@') >= 0 || key.indexOf('*') >= 0) {
            ledger.report(key, ONLY_DOMAINS);
        } else {
            key(key, "auth=" + auth.label());
        }
    }

    private static int endOfQuoted(String text) {
        for (int i = 1; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == '"') {
                return i;
            }
        }
        return -1;
    }

    /** Returns the index at which the key ends. A value or a comment may follow it. */
    private static int endOfKey(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isWhitespace(c) || (c == '#' && text.charAt(i - 1) != '\\')) {
                return i;
            }
        }
        return text.length();
    }

    private void key(String key, String conditions) {
        if (key.isEmpty() || key.equals("<>")) {
            ledger.report(key, "the null sender is never listed");
        } else if (Network.matches(key)) {
            ledger.network(key);
        } else if (key.indexOf('*') >= 0 || key.indexOf('?') >= 0) {
            SenderPattern pattern = SenderPattern.ofGlob(key);
            if (pattern instanceof SenderPattern.None(String reason)) {
                ledger.report(key, reason);
            } else {
                ledger.take(pattern, false, conditions);
            }
        } else if (key.startsWith("@")) {
            ledger.report(key, "matches nothing in Rspamd, which writes the domain without '@'");
        } else if (key.indexOf('@') > 0) {
            address(key);
        } else if (key.indexOf('.') < 0) {
            ledger.report(key, "a user at every domain has no equivalent");
        } else {
            ledger.take(new Domain(key), false, conditions);
        }
    }

    /**
     * Imports an address. Rspamd removes tags from senders, and dots from those at Gmail, before it
     * compares them. So a key with a tag or such dots never matches.
     */
    private void address(String key) {
        int at = key.lastIndexOf('@');
        boolean tagged = key.indexOf('+') > 0 && key.indexOf('+') < at;
        boolean dotted =
                GMAIL.contains(key.substring(at + 1).toLowerCase(Locale.ROOT))
                        && key.substring(0, at).indexOf('.') >= 0;
        if (tagged) {
            ledger.report(key, "matches nothing in Rspamd, which takes tags off senders first");
        } else if (dotted) {
            ledger.report(
                    key,
                    "matches nothing in Rspamd, which takes the dots off senders at Gmail first");
        } else {
            ledger.take(new Exact(key), false, "");
        }
    }
}
