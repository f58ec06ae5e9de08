package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.mangstadt.vinnie.VObjectProperty;
import com.github.mangstadt.vinnie.io.Context;
import com.github.mangstadt.vinnie.io.SyntaxRules;
import com.github.mangstadt.vinnie.io.VObjectDataListener;
import com.github.mangstadt.vinnie.io.VObjectPropertyValues;
import com.github.mangstadt.vinnie.io.VObjectReader;
import com.github.mangstadt.vinnie.io.Warning;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.util.List;
import java.util.Locale;

/**
 * Imports address books: each EMAIL, and each MEMBER of a group, in vCards of the versions 2.1, 3.0
 * and 4.0 is a contact. Lines outside of cards are bad.
 */
final class VCardImporter implements Importer {
    private static final String CARD = "VCARD";
    private static final String MAILTO = "mailto:";

    /** How deep cards may lie in cards. */
    private static final int DEEPEST = 100;

    private final Ledger ledger;
    private final ContactBook contacts;

    /**
     * Makes an importer.
     *
     * @param user whom the entries are for
     */
    VCardImporter(Ledger ledger, Address user) {
        this.ledger = ledger;
        this.contacts = new ContactBook(ledger, user);
    }

    @Override
    public ListReader open(InputStream in, String name) throws IOException {
        return new Cards(in, name);
    }

    /** Reads the cards of one book. */
    private final class Cards implements ListReader, VObjectDataListener {
        private final CardText text;
        private final VObjectReader reader;
        private final String book;
        private long line;
        private long card;
        private int depth;
        private String owner = "";

        Cards(InputStream in, String name) throws IOException {
            book = name;
            text = new CardText(in, name);
            reader = new VObjectReader(text, SyntaxRules.vcard());
            reader.setDefaultQuotedPrintableCharset(UTF_8);
        }

        @Override
        public boolean next() throws IOException {
            text.nextProperty();
            long before = line;
            reader.parse(this);
            if (depth > DEEPEST) {
                throw new ListRefusedException(
                        book
                                + ":"
                                + line
                                + ": more than "
                                + DEEPEST
                                + " cards within each other. Nothing was imported");
            }
            // The parser reports nothing for blank lines before the first property, either.
            boolean more = line > before || !text.hasEnded();
            if (!more && depth > 0) {
                depth = 0;
                ledger.report("BEGIN:VCARD", "without END:VCARD; the file may be cut" + place());
            }
            return more;
        }

        /** Opens the line of what was read, and lets the reader pause after it. */
        private void open(Context context) {
            context.stop();
            if (context.getLineNumber() == line) {
                return;
            }
            for (long more = line + 1; line > 0 && more < context.getLineNumber(); more++) {
                ledger.continueLine();
            }
            line = context.getLineNumber();
            ledger.open(new Line(line, 1, "", false));
        }

        @Override
        public void onComponentBegin(String name, Context context) {
            open(context);
            depth++;
            if (name.equals(CARD)) {
                card++;
                owner = "";
            }
        }

        @Override
        public void onComponentEnd(String name, Context context) {
            open(context);
            depth--;
        }

        @Override
        public void onProperty(VObjectProperty property, Context context) {
            open(context);
            List<String> parents = context.getParentComponents();
            String name = property.getName().strip().toUpperCase(Locale.ROOT);
            if (parents.isEmpty()) {
                ledger.bad(name, "not in a card, which begins with BEGIN:VCARD");
            } else if (parents.getLast().equals(CARD)) {
                String value =
                        HiddenCharacters.strip(VObjectPropertyValues.unescape(property.getValue()));
                switch (name) {
                    case "FN" -> owner = value;
                    case "EMAIL" -> email(value);
                    case "MEMBER" -> {
                        if (isMailto(value)) {
                            email(value);
                        }
                    }
                    default -> {}
                }
            }
        }

        private void email(String written) {
            if (!isMailto(written)) {
                address(written);
                return;
            }
            String addresses = written.substring(MAILTO.length()).replaceFirst("\\?.*", "");
            for (String address : addresses.split(",", -1)) {
                try {
                    address(URLDecoder.decode(address.replace("+", "%2B"), UTF_8));
                } catch (IllegalArgumentException e) {
                    ledger.report(address, "not percent-encoded UTF-8" + place());
                }
            }
        }

        private static boolean isMailto(String value) {
            return value.regionMatches(true, 0, MAILTO, 0, MAILTO.length());
        }

        private void address(String address) {
            contacts.take(address, place());
        }

        /** Returns which card it is, for the end of a message. */
        private String place() {
            return " (card " + card + (owner.isEmpty() ? "" : ", " + Text.shown(owner)) + ")";
        }

        @Override
        public void onVersion(String value, Context context) {
            open(context);
        }

        @Override
        public void onWarning(
                Warning warning,
                @Nullable VObjectProperty property,
                @Nullable Exception thrown,
                Context context) {
            open(context);
            // With a property, it follows, and its value is looked at.
            if (property == null && depth == 0) {
                ledger.bad(
                        context.getUnfoldedLine(), "not in a card, which begins with BEGIN:VCARD");
            } else if (property == null) {
                ledger.report(context.getUnfoldedLine(), "no property" + place());
            }
        }
    }
}
