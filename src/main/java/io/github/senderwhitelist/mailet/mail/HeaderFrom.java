package io.github.senderwhitelist.mailet.mail;

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
 * The sender in the header From:, read from a mail. A header that leaves any doubt names nobody,
 * because mail programs read such headers differently: a sender could have one address checked here
 * and another one shown to people.
 *
 * <p>Attackers write the header. So all of this takes time and memory in proportion to its length,
 * and no recursion. That also holds for {@link InternetAddress} once the header is on one line.
 */
public final class HeaderFrom {
    /**
     * The longest header that is read, in characters: ten times what Postfix accepts by default.
     */
    private static final int MAX_LENGTH = 1 << 20;

    private HeaderFrom() {}

    /**
     * Returns the mailbox in the header From:. Returns null when there is not exactly one header,
     * and when the header
     *
     * <ul>
     *   <li>is empty, a group, several mailboxes, or longer than {@value #MAX_LENGTH} characters,
     *   <li>is not UTF-8, has a control character, or is not allowed by RFC 5322,
     *   <li>has a name or comment before the address that looks like an address without quotes,
     *   <li>has other text than a comment after the address,
     *   <li>has an encoded word (RFC 2047) in the address.
     * </ul>
     */
    public static @Nullable Address mailbox(@Nullable MimeMessage message)
            throws MessagingException {
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

    /**
     * Returns the header decoded from UTF-8 (RFC 6532), or null when it is not UTF-8. James passes
     * headers with one character for each byte.
     */
    public static @Nullable String decoded(String header) {
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
     * Returns the header on one line. Returns null when it has a control character, or a line break
     * that is not folding: one after a backslash, or without white space after it. {@link
     * InternetAddress#parseHeader} could unfold, too, but takes time in proportion to the square of
     * the number of lines.
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

    /** Returns the address of the only mailbox in an unfolded header, or null. */
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
     * Returns whether nothing follows the address, which may be in angle brackets. {@link
     * InternetAddress} ignores what follows, but other programs may show it.
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

    /** Returns the header without comments in parentheses (RFC 5322, section 3.2.2). */
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
     * Returns whether a name or comment before the address in angle brackets has an {@code @}
     * outside quotes, so that programs may take it for the address. Also returns true where
     * programs may disagree on what is quoted: for quotes in square brackets, and quotes or
     * comments without an end.
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
