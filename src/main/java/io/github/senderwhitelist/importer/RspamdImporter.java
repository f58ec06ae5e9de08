package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;

import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;

/** Rspamd's map files, as a multimap of type {@code from} without a filter uses them. */
final class RspamdImporter implements Importer {
    private static final Pattern NETWORK =
            Pattern.compile(
                    "!?(?:[0-9]+(?:\\.[0-9]+){3}|\\[?[0-9a-fA-F]*:[0-9a-fA-F:.]*\\]?)(?:/[0-9]+)?");

    private final Ledger ledger;

    RspamdImporter(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public Part open(InputStream in, String name) {
        LineReader lines = new LineReader(in, name);
        return () -> next(lines);
    }

    private boolean next(LineReader lines) throws IOException {
        Line line = lines.next();
        if (line == null) {
            return false;
        }
        String text = line.text().strip();
        if (text.isEmpty() || text.charAt(0) == '#') {
            ledger.blank(1);
            return true;
        }
        ledger.open(line);
        if (line.cut()) {
            ledger.bad(text, LineReader.CUT);
        } else if (text.charAt(0) == '/') {
            ledger.report(text, "regular expressions have no equivalent");
        } else if (text.charAt(0) == '"') {
            int end = endOfQuoted(text);
            if (end < 0) {
                ledger.bad(text, "a quote that is not closed");
            } else {
                key(text.substring(1, end));
            }
        } else {
            key(text.substring(0, endOfKey(text)));
        }
        return true;
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

    /** A value or a comment may follow the key. */
    private static int endOfKey(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isWhitespace(c) || (c == '#' && text.charAt(i - 1) != '\\')) {
                return i;
            }
        }
        return text.length();
    }

    private void key(String key) {
        if (key.isEmpty() || key.equals("<>")) {
            ledger.report(key, "the null sender is never listed");
        } else if (NETWORK.matcher(key).matches()) {
            ledger.report(key, "a client's network address, not a sender");
        } else if (key.indexOf('*') >= 0 || key.indexOf('?') >= 0) {
            SenderPattern pattern = SenderPattern.ofGlob(key);
            if (pattern instanceof SenderPattern.None(String reason)) {
                ledger.report(key, reason);
            } else {
                ledger.take(pattern, false, "");
            }
        } else if (key.startsWith("@")) {
            ledger.take(new Domain(key.substring(1)), false, "");
        } else if (key.indexOf('@') > 0) {
            ledger.take(new Exact(key), false, "");
        } else if (key.indexOf('.') < 0) {
            ledger.report(key, "a user at every domain has no equivalent");
        } else {
            ledger.take(new Domain(key), false, "");
        }
    }
}
