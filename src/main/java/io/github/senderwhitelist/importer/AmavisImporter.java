package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Imports the files that Amavis' {@code read_hash} reads for {@code whitelist_sender_maps}: one key
 * a line, and perhaps a value. Amavis takes every value but {@code 0} for a yes. Other values than
 * {@code 1} are scores, of {@code score_sender_maps}, and are reported.
 */
final class AmavisImporter extends LineImporter {
    private static final String QUOTED = "\"(?:\\\\.|[^\"\\\\])*+\"";

    /** The comment, which begins at any {@code #} outside of quotes. */
    private static final Pattern COMMENT = Pattern.compile("^((?:" + QUOTED + "|[^#\"])*+)#.*");

    private static final Pattern LINE =
            Pattern.compile("<?(?<key>(?:" + QUOTED + "|[^\\s\">])*+)>?(?:[ \\t]+(?<value>.*))?");

    AmavisImporter(Ledger ledger) {
        super(ledger);
    }

    @Override
    String withoutComment(String line) {
        return COMMENT.matcher(line).replaceFirst("$1");
    }

    @Override
    void entry(String line) {
        if (line.startsWith(" ") || line.startsWith("\t")) {
            ledger.report(line, "matches nothing in Amavis, where a key has no space before it");
            return;
        }
        String text = HiddenCharacters.strip(line);
        Matcher parts = LINE.matcher(text);
        if (!parts.matches()) {
            ledger.bad(text, "no key; expected: alice@example.com, .example.com or example.com");
            return;
        }
        String key = parts.group("key");
        String value = parts.group("value");
        if (value != null && value.equals("0")) {
            ledger.report(key, "0 lists nobody; a wider key that is taken counts for this sender");
        } else if (value != null && !value.equals("1")) {
            ledger.report(key, "a score; taken are keys without value, or with 1");
        } else if (key.equals(".")) {
            ledger.report(key, "stands for every sender");
        } else if (key.startsWith("@") || key.indexOf('*') >= 0) {
            ledger.report(key, "matches nothing in Amavis, whose keys are addresses and domains");
        } else if (key.startsWith(".")) {
            ledger.take(new Domain(key.substring(1)), new Subdomains(key.substring(1)));
        } else if (key.indexOf('@') > 0) {
            ledger.take(new Exact(key));
        } else {
            ledger.take(new Domain(key));
        }
    }
}
