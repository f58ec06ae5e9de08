package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.None;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

import java.io.InputStream;

/**
 * Imports plain lists of senders that are welcome: one address or domain a line, and nothing else
 * in it. A domain stands for the addresses at exactly this domain.
 */
final class ListImporter implements Importer {
    private final Ledger ledger;

    ListImporter(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public ListReader open(InputStream in, String name) {
        return new SimpleLines(new LineReader(in, name), ledger, this::entry);
    }

    private void entry(String text) {
        if (text.matches("(?s).*[\\s,;<>\"].*")) {
            ledger.bad(text, "more than an address or a domain; expected: one a line, alone");
        } else if (Network.matches(text)) {
            ledger.network(text);
        } else if (text.startsWith("!") || text.startsWith("-")) {
            ledger.report(text, "a plain list cannot say who is not welcome");
        } else if (text.startsWith("/") || text.indexOf('/') > text.indexOf('@')) {
            ledger.report(text, "neither an address nor a domain");
        } else if (text.indexOf('*') >= 0 || text.indexOf('?') >= 0) {
            glob(text);
        } else if (text.startsWith(".")) {
            ledger.take(new Subdomains(text.substring(1)), false, "");
        } else if (text.indexOf('@') > 0) {
            ledger.take(new Exact(text), false, "");
        } else if (text.indexOf('.') < 0) {
            ledger.bad(text, "neither an address nor a domain; expected: example.com");
        } else {
            ledger.take(new Domain(text.startsWith("@") ? text.substring(1) : text), false, "");
        }
    }

    private void glob(String text) {
        SenderPattern pattern = SenderPattern.ofGlob(text);
        if (pattern instanceof None(String reason)) {
            ledger.report(text, reason);
        } else {
            ledger.take(pattern, false, "");
        }
    }
}
