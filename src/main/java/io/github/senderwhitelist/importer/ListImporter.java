package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

/**
 * Imports plain lists of senders that are welcome: one address or domain a line, and nothing else
 * in it. A domain stands for the addresses at exactly this domain.
 */
final class ListImporter extends LineImporter {
    ListImporter(Ledger ledger) {
        super(ledger);
    }

    @Override
    void entry(String line) {
        String text = HiddenCharacters.strip(line);
        if (text.matches("(?s).*[\\s,;<>\"].*")) {
            ledger.bad(text, "more than an address or a domain; expected: one a line, alone");
        } else if (text.startsWith("!") || text.startsWith("-")) {
            ledger.report(text, "a plain list cannot say who is not welcome");
        } else if ((text.startsWith("/") || text.indexOf('/') > text.indexOf('@'))
                && !SenderPattern.isNetwork(text)) {
            ledger.report(text, "neither an address nor a domain");
        } else if (text.indexOf('*') >= 0 || text.indexOf('?') >= 0) {
            ledger.take(SenderPattern.ofGlob(text));
        } else if (text.startsWith(".")) {
            ledger.take(new Subdomains(text.substring(1)));
        } else if (text.indexOf('@') > 0) {
            ledger.take(new Exact(text));
        } else if (text.indexOf('.') < 0) {
            ledger.bad(text, "neither an address nor a domain; expected: example.com");
        } else {
            ledger.take(new Domain(text.startsWith("@") ? text.substring(1) : text));
        }
    }
}
