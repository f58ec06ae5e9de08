package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.mangstadt.vinnie.VObjectProperty;
import com.github.mangstadt.vinnie.io.Context;
import com.github.mangstadt.vinnie.io.SyntaxRules;
import com.github.mangstadt.vinnie.io.VObjectDataAdapter;
import com.github.mangstadt.vinnie.io.VObjectPropertyValues;
import com.github.mangstadt.vinnie.io.VObjectReader;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringReader;
import java.net.URLDecoder;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Imports address books: each EMAIL, and each MEMBER of a group, in vCards of the versions 2.1, 3.0
 * and 4.0 is a contact. Lines outside of cards are bad.
 */
final class VCardImporter extends Importer {
    private static final String MAILTO = "mailto:";

    /** A line that version 2.1 continues by an equals sign at its end. */
    private static final Pattern CONTINUED =
            Pattern.compile("(?is)[^:]*\\bQUOTED-PRINTABLE\\b[^:]*:.*=");

    private final Address user;
    private String version = "";

    /** How many cards are open, within each other. */
    private int depth;

    VCardImporter(Address user) {
        super("(?is)^(?!(?:[^.:;]*\\.)?(?:BEGIN|END|VERSION|EMAIL|MEMBER)[;:]).*");
        this.user = user;
    }

    @Override
    void begin(String name) throws IOException {
        super.begin(name);
        depth = 0;
    }

    @Override
    @Nullable String continuation(StringBuilder before, String line) {
        if (line.startsWith(" ") || line.startsWith("\t")) {
            return line.substring(1);
        }
        if (before.length() < ForeignLines.MAX_LENGTH && CONTINUED.matcher(before).matches()) {
            before.setLength(before.length() - 1);
            return line;
        }
        return null;
    }

    @Override
    void entry(String line) throws IOException {
        String name = line.replaceFirst("(?s)[;:].*", "").replaceFirst("^[^.]*\\.", "");
        switch (name.toUpperCase(Locale.ROOT)) {
            case "BEGIN" -> {
                depth += isCard(line) ? 1 : 0;
                version = "";
            }
            case "END" -> depth -= isCard(line) && depth > 0 ? 1 : 0;
            case "VERSION" -> version = HiddenCharacters.strip(line);
            default -> {
                if (depth == 0) {
                    bad(line, "not in a card, which begins with BEGIN:VCARD");
                } else {
                    contact(line);
                }
            }
        }
    }

    private static boolean isCard(String line) {
        return line.matches("(?i)[^:]*:\\s*VCARD\\s*");
    }

    /** Decodes a property in a card of its own, since the version decides how. */
    private void contact(String line) throws IOException {
        String card = "BEGIN:VCARD\n" + version + "\n" + HiddenCharacters.strip(line);
        VObjectReader reader = new VObjectReader(new StringReader(card), SyntaxRules.vcard());
        reader.setDefaultQuotedPrintableCharset(UTF_8);
        reader.parse(
                new VObjectDataAdapter() {
                    @Override
                    public void onProperty(VObjectProperty property, Context context) {
                        contact(property);
                    }
                });
    }

    private void contact(VObjectProperty property) {
        String value = HiddenCharacters.strip(VObjectPropertyValues.unescape(property.getValue()));
        if (!value.regionMatches(true, 0, MAILTO, 0, MAILTO.length())) {
            if (property.getName().equalsIgnoreCase("EMAIL")) {
                contact(value, user);
            }
            return;
        }
        String addresses = value.substring(MAILTO.length()).replaceFirst("\\?.*", "");
        for (String address : addresses.split(",", -1)) {
            try {
                contact(URLDecoder.decode(address.replace("+", "%2B"), UTF_8), user);
            } catch (IllegalArgumentException e) {
                report(address, "not percent-encoded UTF-8");
            }
        }
    }
}
