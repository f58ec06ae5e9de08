package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;

/**
 * Imports address books as LDIF (RFC 2849), from Thunderbird and directories: each value of {@code
 * mail} and {@code mozillaSecondEmail} is a contact. Records of changes are no book, and are bad.
 */
final class LdifImporter implements Importer {
    private static final Set<String> MAIL = Set.of("mail", "mozillasecondemail");

    private final Ledger ledger;
    private final ContactBook contacts;

    /**
     * Makes an importer.
     *
     * @param user whom the entries are for
     */
    LdifImporter(Ledger ledger, Address user) {
        this.ledger = ledger;
        this.contacts = new ContactBook(ledger, user);
    }

    @Override
    public ListReader open(InputStream in, String name) {
        return new Records(new LineReader(in, name));
    }

    /** Joins folded lines and imports the values. */
    private final class Records implements ListReader {
        private final LineReader lines;
        private @Nullable Line ahead;
        private boolean changes;

        Records(LineReader lines) {
            this.lines = lines;
        }

        @Override
        public boolean next() throws IOException {
            Line first = ahead == null ? lines.next() : ahead;
            ahead = null;
            if (first == null) {
                return false;
            }
            ledger.open(first);
            StringBuilder text = new StringBuilder(first.text());
            boolean cut = first.cut();
            for (ahead = lines.next(); ahead != null && isFolded(ahead); ahead = lines.next()) {
                ledger.continueLine();
                cut |= ahead.cut() || text.length() > LineReader.MAX_LINE;
                text.append(cut ? "" : ahead.text().substring(1));
            }
            line(text.toString(), cut);
            return true;
        }

        private static boolean isFolded(Line line) {
            return line.text().startsWith(" ");
        }

        private void line(String text, boolean cut) {
            int colon = text.indexOf(':');
            if (text.isBlank()) {
                changes = false;
            } else if (text.startsWith("#") || text.equals("-")) {
                return;
            } else if (colon < 0) {
                ledger.bad(text, "no attribute; expected: name, colon, value");
            } else {
                String name =
                        HiddenCharacters.strip(text.substring(0, colon))
                                .toLowerCase(Locale.ROOT)
                                .replaceFirst(";.*", "");
                value(name, text.substring(colon + 1), cut);
            }
        }

        private void value(String name, String written, boolean cut) {
            if (name.equals("changetype")) {
                changes = true;
                ledger.bad(name, "a record of changes, not of an address book; it is left out");
            } else if (MAIL.contains(name) && !changes) {
                if (cut) {
                    ledger.report(name, LineReader.CUT);
                } else if (written.startsWith("<")) {
                    ledger.report(written, "an address elsewhere, which is not followed");
                } else if (written.startsWith(":")) {
                    encoded(HiddenCharacters.strip(written.substring(1)));
                } else {
                    contacts.take(HiddenCharacters.strip(written), "");
                }
            }
        }

        private void encoded(String base64) {
            try {
                String value = new String(Base64.getDecoder().decode(base64), UTF_8);
                contacts.take(HiddenCharacters.strip(value), "");
            } catch (IllegalArgumentException e) {
                ledger.report(base64, "not base64");
            }
        }
    }
}
