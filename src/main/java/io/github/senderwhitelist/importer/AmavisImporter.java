package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

import java.io.InputStream;

/**
 * Imports the files that Amavis' {@code read_hash} reads for {@code whitelist_sender_maps}: one key
 * a line, and perhaps a value. Only a key without value, or with {@code 1}, lists a sender, since
 * other values are scores, or say no.
 */
final class AmavisImporter implements Importer {
    private final Ledger ledger;

    AmavisImporter(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public ListReader open(InputStream in, String name) {
        return new SimpleLines(new LineReader(in, name), ledger, this::entry);
    }

    private void entry(String text) {
        String[] parts = text.split("\\s+", 2);
        String key = parts[0];
        if (key.startsWith("\"")) {
            ledger.report(text, "a quoted key");
        } else if (parts.length > 1 && !parts[1].equals("1")) {
            ledger.report(
                    key, "the value is no plain yes; taken are keys without value, or with 1");
        } else if (key.equals(".") || key.equals("<>") || key.equals("@")) {
            ledger.report(key, "every sender, or the null sender, is never listed");
        } else if (Network.matches(key)) {
            ledger.network(key);
        } else if (key.endsWith("@")) {
            ledger.report(key, "a user at every domain has no equivalent");
        } else if (key.startsWith("@") || key.startsWith("!") || key.indexOf('*') >= 0) {
            ledger.report(key, "matches nothing in Amavis, whose keys are addresses and domains");
        } else if (key.startsWith(".")) {
            ledger.take(new Domain(key.substring(1)), false, "");
            ledger.take(new Subdomains(key.substring(1)), false, "");
        } else if (key.indexOf('@') > 0) {
            ledger.take(new Exact(key), false, "");
        } else if (key.indexOf('.') < 0) {
            ledger.report(key, "neither an address nor a domain");
        } else {
            ledger.take(new Domain(key), false, "");
        }
    }
}
