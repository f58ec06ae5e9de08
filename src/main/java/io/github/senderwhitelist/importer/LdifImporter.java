package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.util.Base64;
import java.util.Locale;
import java.util.Set;

/**
 * Imports address books as LDIF (RFC 2849), from Thunderbird and directories: each value of {@code
 * mail} and {@code mozillaSecondEmail} is a contact. Records of changes are no book, and are bad.
 */
final class LdifImporter extends LineImporter {
    private static final Set<String> MAIL = Set.of("mail", "mozillasecondemail");

    private final ContactBook contacts;
    private boolean changes;

    LdifImporter(Ledger ledger, ContactBook contacts) {
        super(ledger);
        this.contacts = contacts;
    }

    @Override
    String withoutComment(String line) {
        return line.startsWith("#") || line.equals("-") ? "" : line;
    }

    @Override
    @Nullable String continuation(String line) {
        return line.startsWith(" ") ? line.substring(1) : null;
    }

    @Override
    void entry(String line) {
        int colon = line.indexOf(':');
        if (colon < 0) {
            ledger.bad(line, "no attribute; expected: name, colon, value");
            return;
        }
        String name = attribute(line);
        String value = line.substring(colon + 1);
        if (name.equals("dn")) {
            changes = false;
        } else if (name.equals("changetype")) {
            changes = true;
            ledger.bad(name, "a record of changes, not of an address book; it is left out");
        } else if (!MAIL.contains(name) || changes) {
            return;
        } else if (value.startsWith("<")) {
            ledger.report(value, "an address elsewhere, which is not followed");
        } else if (value.startsWith(":")) {
            encoded(HiddenCharacters.strip(value.substring(1)));
        } else {
            contacts.take(value, "");
        }
    }

    /** Pictures may be longer than any line that is kept. */
    @Override
    void cut(String line) {
        if (MAIL.contains(attribute(line))) {
            ledger.report(line, CUT);
        }
    }

    private static String attribute(String line) {
        return HiddenCharacters.strip(line.replaceFirst("[;:].*", "")).toLowerCase(Locale.ROOT);
    }

    private void encoded(String base64) {
        try {
            contacts.take(new String(Base64.getDecoder().decode(base64), UTF_8), "");
        } catch (IllegalArgumentException e) {
            ledger.report(base64, "not base64");
        }
    }
}
