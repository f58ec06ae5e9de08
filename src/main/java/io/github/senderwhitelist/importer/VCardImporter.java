package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.mangstadt.vinnie.VObjectProperty;
import com.github.mangstadt.vinnie.io.Context;
import com.github.mangstadt.vinnie.io.SyntaxRules;
import com.github.mangstadt.vinnie.io.VObjectDataListener;
import com.github.mangstadt.vinnie.io.VObjectPropertyValues;
import com.github.mangstadt.vinnie.io.VObjectReader;
import com.github.mangstadt.vinnie.io.Warning;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.net.URLDecoder;
import java.util.List;
import java.util.Locale;

/**
 * Imports address books: each EMAIL, and each MEMBER of a group, in vCards of the versions 2.1, 3.0
 * and 4.0 is a contact. Lines outside of cards are bad.
 */
final class VCardImporter implements Importer, VObjectDataListener {
    /** The longest property, in characters: pictures of some megabytes. */
    static final int MAX_PROPERTY = 1 << 23;

    /** How deep cards may lie in cards. */
    private static final int MAX_DEPTH = 100;

    private static final String CARD = "VCARD";
    private static final String MAILTO = "mailto:";
    private static final String OUTSIDE = "not in a card, which begins with BEGIN:VCARD";

    private final Ledger ledger;
    private final ContactBook contacts;
    private Properties properties;
    private VObjectReader reader;
    private long line;
    private long card;
    private int depth;
    private String owner = "";

    VCardImporter(Ledger ledger, ContactBook contacts) {
        this.ledger = ledger;
        this.contacts = contacts;
        this.properties = new Properties(Reader.nullReader());
        this.reader = new VObjectReader(properties, SyntaxRules.vcard());
    }

    /**
     * The text for the parser, which would keep a property of any length. It takes one character at
     * a time, so that it is known which property it reads.
     */
    private final class Properties extends FilterReader {
        private int length;
        private boolean ended;

        Properties(Reader text) {
            super(text);
        }

        @Override
        public int read() throws IOException {
            int c = in.read();
            ended |= c < 0;
            if (++length > MAX_PROPERTY) {
                throw ledger.refused("a property of more than " + MAX_PROPERTY + " characters");
            }
            return c;
        }

        @Override
        public int read(char[] target, int from, int count) throws IOException {
            int c = read();
            if (c >= 0) {
                target[from] = (char) c;
            }
            return c < 0 ? -1 : 1;
        }
    }

    @Override
    public void begin(ForeignText text) {
        properties = new Properties(text);
        reader = new VObjectReader(properties, SyntaxRules.vcard());
        reader.setDefaultQuotedPrintableCharset(UTF_8);
        line = 0;
        card = 0;
        depth = 0;
        owner = "";
    }

    @Override
    public boolean next(ForeignText text) throws IOException {
        properties.length = 0;
        long before = line;
        reader.parse(this);
        if (depth > MAX_DEPTH) {
            throw ledger.refused("more than " + MAX_DEPTH + " cards within each other");
        }
        // The parser reports nothing for blank lines before the first property, either.
        boolean more = line > before || !properties.ended;
        if (!more && depth > 0) {
            ledger.report("BEGIN:VCARD", "without END:VCARD; the file may be cut" + place());
        }
        return more;
    }

    /** Opens the line of what was read, and lets the parser pause after it. */
    private void open(Context context) {
        context.stop();
        if (context.getLineNumber() != line) {
            line = context.getLineNumber();
            ledger.open(line);
        }
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
            ledger.bad(name, OUTSIDE);
        } else if (parents.getLast().equals(CARD)) {
            String value =
                    HiddenCharacters.strip(VObjectPropertyValues.unescape(property.getValue()));
            boolean mailto = value.regionMatches(true, 0, MAILTO, 0, MAILTO.length());
            if (name.equals("FN")) {
                owner = value;
            } else if (mailto && (name.equals("EMAIL") || name.equals("MEMBER"))) {
                mailto(value.substring(MAILTO.length()));
            } else if (name.equals("EMAIL")) {
                contacts.take(value, place());
            }
        }
    }

    private void mailto(String value) {
        for (String address : value.replaceFirst("\\?.*", "").split(",", -1)) {
            try {
                contacts.take(URLDecoder.decode(address.replace("+", "%2B"), UTF_8), place());
            } catch (IllegalArgumentException e) {
                ledger.report(address, "not percent-encoded UTF-8" + place());
            }
        }
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
            ledger.bad(context.getUnfoldedLine(), OUTSIDE);
        } else if (property == null) {
            ledger.report(context.getUnfoldedLine(), "no property" + place());
        }
    }
}
