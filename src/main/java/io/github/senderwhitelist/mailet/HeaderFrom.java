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
import java.util.regex.Pattern;

/**
 * The sender that the header From: names. What leaves any doubt names none: mail programs read such
 * headers differently, and a sender could have one address checked and another one shown.
 */
final class HeaderFrom {
    private static final Pattern QUOTED = Pattern.compile("\"(?:\\\\.|[^\"\\\\])*\"");

    private HeaderFrom() {}

    /**
     * The one mailbox in the one header From:, or null when it is missing, there twice, empty, a
     * group, several mailboxes, not what RFC 5322 allows, or has an encoded word in the address.
     */
    static @Nullable Address mailbox(@Nullable MimeMessage message) throws MessagingException {
        String[] headers = message == null ? null : message.getHeader("From");
        String header = headers == null || headers.length != 1 ? null : decoded(headers[0]);
        if (header == null || header.chars().anyMatch(HeaderFrom::isForbidden)) {
            return null;
        }
        String written = onlyMailbox(header);
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

    private static boolean isForbidden(int c) {
        return c != '\t' && c != '\r' && c != '\n' && Character.isISOControl(c);
    }

    private static @Nullable String onlyMailbox(String header) {
        String unquoted = QUOTED.matcher(header).replaceAll("");
        int bracket = unquoted.indexOf('<');
        if (bracket >= 0 && unquoted.lastIndexOf('@', bracket) >= 0) {
            // A name that looks like an address, without the quotes it would need.
            return null;
        }
        InternetAddress[] mailboxes;
        try {
            mailboxes = InternetAddress.parseHeader(header, true);
        } catch (AddressException e) {
            return null;
        }
        return mailboxes.length != 1 || mailboxes[0].isGroup() ? null : mailboxes[0].getAddress();
    }
}
