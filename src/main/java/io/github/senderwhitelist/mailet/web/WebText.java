package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The parser of the text of requests. The parts of a path are decoded here, once, because James 3.8
 * decodes them twice and James 3.9 once.
 */
public final class WebText {
    /** What stands for itself in a path. RFC 3986, section 3.3, allows some more. */
    private static final String PLAIN =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~@";

    /** The parameters of queries that take addresses. */
    private static final Set<String> ADDRESSES = Set.of("sender", "from", "recipient", "for");

    private WebText() {}

    /** Returns the decoded parts between the slashes of a path that begins with one. */
    public static List<String> segments(String path) throws WebException {
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(1).split("/", -1)) {
            segments.add(decoded(segment));
        }
        return segments;
    }

    /**
     * Returns the parameters of a query by their names. A plus sign stands for a space, as in
     * forms. Addresses have none, since a client that sends one means a tag.
     */
    public static Map<String, String> query(@Nullable String query) throws WebException {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null || query.isEmpty()) {
            return parameters;
        }
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = fromForm(equals < 0 ? pair : pair.substring(0, equals));
            String written = equals < 0 ? "" : pair.substring(equals + 1);
            if (ADDRESSES.contains(name) && written.indexOf('+') >= 0) {
                throw WebException.badRequest(
                        "A plus sign stands for a space in a query",
                        name
                                + "="
                                + Text.shown(written)
                                + "; allowed: %2B for a plus sign, %20 for a space");
            }
            String value = fromForm(written);
            if (parameters.put(name, value) != null) {
                throw WebException.badRequest(
                        "A parameter is there twice", "'" + Text.shown(name) + "'; allowed: once");
            }
        }
        return parameters;
    }

    private static String fromForm(String text) throws WebException {
        return decoded(text.replace('+', ' '));
    }

    private static String decoded(String text) throws WebException {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] bytes = text.getBytes(UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                decoded.write(bytes[i]);
                continue;
            }
            int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
            int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
            if (low < 0) {
                throw WebException.badRequest(
                        "The URL is not well-formed",
                        "'"
                                + Text.shown(text)
                                + "' has a % without two hexadecimal digits; a percent sign is"
                                + " written %25");
            }
            decoded.write(high << 4 | low);
            i += 2;
        }
        return utf8(decoded.toByteArray(), "The URL");
    }

    /**
     * Returns bytes as text.
     *
     * @param what what the bytes are, for messages
     */
    public static String utf8(byte[] bytes, String what) throws WebException {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw WebException.badRequest(what + " is not UTF-8", null);
        }
    }

    /** Returns text as a part of a path. */
    static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = PLAIN.indexOf(c) >= 0;
            encoded.append(
                    plain ? String.valueOf(c) : String.format(Locale.ROOT, "%%%02X", (int) c));
        }
        return encoded.toString();
    }
}
