package io.github.senderwhitelist.mailet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * The sender that the header From: names. What leaves any doubt names none: mail programs read such
 * headers differently, and a sender could have one address checked and another one shown.
 *
 * <p>The header is the sender's to write. All of this takes time and memory in proportion to its
 * length, and no recursion; {@link InternetAddress} does, too, once the header is on one line.
 */
final class HeaderFrom {
    /** Ten times what Postfix takes for one header by default. */
    private static final int MAX_LENGTH = 1 << 20;

    private HeaderFrom() {}

    /**
     * Returns the one mailbox in the one header From:, or null when it is missing, there twice,
     * empty, a group, several mailboxes, longer than {@value #MAX_LENGTH} characters, not what RFC
     * 5322 allows, or has an encoded word in the address.
     */
    static @Nullable Address mailbox(@Nullable MimeMessage message) throws MessagingException {
        String[] headers = message == null ? null : message.getHeader("From");
        if (headers == null || headers.length != 1 || headers[0].length() > MAX_LENGTH) {
            return null;
        }
        String folded = decoded(headers[0]);
        String header = folded == null ? null : unfolded(folded);
        String written = header == null ? null : onlyMailbox(header);
        if (written == null || written.contains("=?")) {
            return null;
        }
        return switch (AddressSyntax.parse(written)) {
            case WellFormed(Address address) -> address;
            case Malformed malformed -> null;
        };
    }

    /** Headers come as one character per byte; what is not ASCII must be UTF-8 (RFC 6532). */
    private static @Nullable String decoded(String header) {
        if (header.chars().allMatch(c -> c < 0x80) || header.chars().anyMatch(c -> c > 0xff)) {
            return header;
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(header.getBytes(ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /**
     * Returns the header on one line, or null when it has a control character, or a line break that
     * is no folding: one after a backslash, or without white space after it. The unfolding that
     * {@link InternetAddress#parseHeader} does itself takes time in proportion to the square of the
     * number of lines.
     */
    private static @Nullable String unfolded(String header) {
        StringBuilder line = new StringBuilder(header.length());
        for (int i = 0; i < header.length(); i++) {
            char c = header.charAt(i);
            if (c == '\r' || c == '\n') {
                boolean escaped = i > 0 && header.charAt(i - 1) == '\\';
                i += header.startsWith("\r\n", i) ? 1 : 0;
                if (escaped || !isBlankOrEnd(header, i + 1)) {
                    return null;
                }
            } else if (c != '\t' && Character.isISOControl(c)) {
                return null;
            } else {
                line.append(c);
            }
        }
        return line.toString();
    }

    private static boolean isBlankOrEnd(String header, int i) {
        return i == header.length() || header.charAt(i) == ' ' || header.charAt(i) == '\t';
    }

    private static @Nullable String onlyMailbox(String header) {
        if (isNamedLikeAnAddress(header)) {
            return null;
        }
        InternetAddress[] mailboxes;
        try {
            mailboxes = InternetAddress.parseHeader(header, true);
        } catch (AddressException e) {
            return null;
        }
        if (mailboxes.length != 1 || mailboxes[0].isGroup()) {
            return null;
        }
        String address = mailboxes[0].getAddress();
        return endsWith(withoutComments(header).strip(), address) ? address : null;
    }

    /**
     * Tells whether nothing comes after the address, in angle brackets or by itself. What does is
     * passed over by {@link InternetAddress}, but may be what other programs show.
     */
    private static boolean endsWith(String header, String address) {
        if (!header.endsWith(">")) {
            return header.equals(address);
        }
        String open = header.substring(0, header.length() - 1).stripTrailing();
        return open.endsWith(address)
                && open.substring(0, open.length() - address.length())
                        .stripTrailing()
                        .endsWith("<");
    }

    private static String withoutComments(String header) {
        StringBuilder text = new StringBuilder(header.length());
        boolean quoted = false;
        int comments = 0;
        for (int i = 0; i < header.length(); i++) {
            char c = header.charAt(i);
            if (c == '\\' && i + 1 < header.length() && (quoted || comments > 0)) {
                text.append(comments == 0 ? header.substring(i, i + 2) : "");
                i++;
            } else if (c == '(' && !quoted) {
                comments++;
            } else if (c == ')' && comments > 0) {
                comments--;
            } else if (comments == 0) {
                quoted ^= c == '"';
                text.append(c);
            }
        }
        return text.toString();
    }

    /**
     * Tells whether a name or comment before the address in angle brackets looks like an address
     * itself, without the quotes it would need. Quotes that mail programs may see elsewhere, in
     * square brackets or without an end, count as much.
     */
    private static boolean isNamedLikeAnAddress(String header) {
        boolean quoted = false;
        boolean bracketed = false;
        boolean escaped = false;
        boolean at = false;
        int comments = 0;
        for (int i = 0; i < header.length(); i++) {
            char c = header.charAt(i);
            boolean plain = !escaped;
            escaped = plain && c == '\\' && (quoted || comments > 0);
            if (c == '"' && plain && comments == 0) {
                if (bracketed) {
                    return true;
                }
                quoted = !quoted;
            } else if (!quoted) {
                at |= c == '@';
                if (c == '<' && (at || comments == 0)) {
                    return at;
                }
                if (c == '(' && plain) {
                    comments++;
                } else if (c == ')' && plain && comments > 0) {
                    comments--;
                } else if (comments == 0) {
                    bracketed = c == '[' || (bracketed && c != ']');
                }
            }
        }
        return quoted || comments > 0;
    }
}
