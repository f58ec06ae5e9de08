package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.util.Base64;

/**
 * Imports address books as LDIF (RFC 2849), from Thunderbird and directories: each value of {@code
 * mail} and {@code mozillaSecondEmail} is a contact.
 */
final class LdifImporter extends Importer {
    LdifImporter(Sink sink) {
        super(sink, "(?is)^(?!(?:mail|mozillaSecondEmail)[;:]).*");
    }

    @Override
    @Nullable String continuation(StringBuilder before, String line) {
        return line.startsWith(" ") && !before.isEmpty() ? line.substring(1) : null;
    }

    @Override
    void entry(String line) {
        String value = line.substring(line.indexOf(':') + 1);
        if (value.startsWith("<")) {
            sink.report(value, "an address elsewhere, which is not followed");
        } else if (value.startsWith(":")) {
            try {
                String base64 = HiddenCharacters.strip(value.substring(1));
                sink.contact(new String(Base64.getDecoder().decode(base64), UTF_8));
            } catch (IllegalArgumentException e) {
                sink.report(value, "not base64");
            }
        } else {
            sink.contact(value);
        }
    }
}
