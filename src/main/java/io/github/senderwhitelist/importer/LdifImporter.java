package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.util.Base64;
import java.util.Locale;

/**
 * Imports address books as LDIF (RFC 2849), from Thunderbird and directories: each value of {@code
 * mail} and {@code mozillaSecondEmail} is a contact. Records of changes are no book, and are bad.
 */
final class LdifImporter extends Importer {
    private final Address user;
    private boolean changes;

    LdifImporter(Address user) {
        super("(?is)^(?!(?:mail|mozillaSecondEmail|dn|changetype)[;:]).*");
        this.user = user;
    }

    @Override
    @Nullable String continuation(StringBuilder before, String line) {
        return line.startsWith(" ") ? line.substring(1) : null;
    }

    @Override
    void entry(String line) {
        String name = line.replaceFirst("(?s)[;:].*", "").toLowerCase(Locale.ROOT);
        String value = line.substring(line.indexOf(':') + 1);
        if (name.equals("dn")) {
            changes = false;
        } else if (name.equals("changetype")) {
            changes = true;
            bad(name, "a record of changes, not of an address book; it is left out");
        } else if (changes) {
            return;
        } else if (value.startsWith("<")) {
            report(value, "an address elsewhere, which is not followed");
        } else if (value.startsWith(":")) {
            encoded(HiddenCharacters.strip(value.substring(1)));
        } else {
            contact(value, user);
        }
    }

    private void encoded(String base64) {
        try {
            contact(new String(Base64.getDecoder().decode(base64), UTF_8), user);
        } catch (IllegalArgumentException e) {
            report(base64, "not base64");
        }
    }
}
