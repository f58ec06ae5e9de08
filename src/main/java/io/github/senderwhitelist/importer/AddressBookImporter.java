package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.mangstadt.vinnie.VObjectProperty;
import com.github.mangstadt.vinnie.io.Context;
import com.github.mangstadt.vinnie.io.SyntaxRules;
import com.github.mangstadt.vinnie.io.VObjectDataAdapter;
import com.github.mangstadt.vinnie.io.VObjectPropertyValues;
import com.github.mangstadt.vinnie.io.VObjectReader;
import com.github.mangstadt.vinnie.io.Warning;

import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringReader;
import java.net.URLDecoder;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Imports address books as vCards and as LDIF. In vCards of the versions 2.1, 3.0 and 4.0, each
 * {@code EMAIL}, and each {@code MEMBER} of a group, is a contact; in LDIF (RFC 2849), from
 * Thunderbird and directories, each {@code mail} and {@code mozillaSecondEmail}.
 */
final class AddressBookImporter extends Importer {
    private static final String MAILTO = "mailto:";

    /** The beginning of a line that version 2.1 continues if an equals sign is at its end. */
    private static final Pattern QUOTED_PRINTABLE =
            Pattern.compile("(?i)[^:]*\\bQUOTED-PRINTABLE\\b[^:]*:");

    private String version = "";

    AddressBookImporter(Sink sink, Import.Format format) {
        super(
                sink,
                format == Import.Format.LDIF
                        ? "(?is)^(?!(?:mail|mozillaSecondEmail)[;:]).*"
                        : "(?is)^(?!(?:[^.:;]*\\.)?(?:BEGIN|VERSION|EMAIL|MEMBER)[;:]).*");
    }

    @Override
    @Nullable String continuation(StringBuilder before, String line) {
        if (!before.isEmpty() && (line.startsWith(" ") || line.startsWith("\t"))) {
            return line.substring(1);
        }
        int end = before.length() - 1;
        if (end >= 0
                && end + 1 < MAX_LENGTH
                && before.charAt(end) == '='
                && QUOTED_PRINTABLE.matcher(before).lookingAt()) {
            before.setLength(end);
            return line;
        }
        return null;
    }

    @Override
    void entry(String line) throws IOException {
        String name = line.replaceFirst("(?s)[;:].*", "").replaceFirst("^[^.]*\\.", "");
        switch (name.toUpperCase(Locale.ROOT)) {
            case "BEGIN" -> version = "";
            case "VERSION" -> version = HiddenCharacters.strip(line);
            case "MAIL", "MOZILLASECONDEMAIL" -> ldif(line.substring(line.indexOf(':') + 1));
            default -> property(line);
        }
    }

    private void ldif(String value) {
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

    /** Decodes a property in a card of its own, since the version decides how. */
    private void property(String line) throws IOException {
        String card = "BEGIN:VCARD\n" + version + "\n" + HiddenCharacters.strip(line);
        VObjectReader reader = new VObjectReader(new StringReader(card), SyntaxRules.vcard());
        reader.setDefaultQuotedPrintableCharset(UTF_8);
        reader.parse(
                new VObjectDataAdapter() {
                    @Override
                    public void onProperty(VObjectProperty property, Context context) {
                        String value = VObjectPropertyValues.unescape(property.getValue());
                        value(property.getName(), HiddenCharacters.strip(value));
                    }

                    @Override
                    public void onWarning(
                            Warning warning,
                            VObjectProperty property,
                            Exception thrown,
                            Context context) {
                        if (warning == Warning.QUOTED_PRINTABLE_ERROR) {
                            sink.report(property.getValue(), "not quoted-printable");
                            property.setValue("");
                        }
                    }
                });
    }

    /** Takes an address, or the addresses of a {@code mailto:}. Members have other URIs, too. */
    private void value(String name, String value) {
        if (value.regionMatches(true, 0, MAILTO, 0, MAILTO.length())) {
            String addresses = value.substring(MAILTO.length()).replaceFirst("(?s)\\?.*", "");
            for (String address : addresses.split(",", -1)) {
                try {
                    sink.contact(URLDecoder.decode(address.replace("+", "%2B"), UTF_8));
                } catch (IllegalArgumentException e) {
                    sink.report(address, "not percent-encoded UTF-8");
                }
            }
        } else if (name.equalsIgnoreCase("EMAIL")) {
            sink.contact(value);
        }
    }
}
