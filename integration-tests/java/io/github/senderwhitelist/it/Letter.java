package io.github.senderwhitelist.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * A mail as the bytes that go over the wire: header fields with CRLF, an empty line, a body.
 *
 * <p>Every letter made here carries a header that names it, by which it is found again. Text is one
 * char a byte (ISO-8859-1), so that nothing is lost in looking at it.
 */
record Letter(String text) {
    private static final String ID = "X-Test-Id";

    /** Makes a new letter. {@code headers} are whole lines, each with its CRLF. */
    static Letter of(String headers, String body) {
        return new Letter(ID + ": " + UUID.randomUUID() + "\r\n" + headers + "\r\n" + body);
    }

    /** Makes a new letter of three lines, for tests to which its content does not matter. */
    static Letter simple(String subject) {
        return of(
                "From: Someone <someone@example.com>\r\nTo: sam@here.example\r\nSubject: "
                        + subject
                        + "\r\n",
                "Hello\r\n");
    }

    static Letter read(byte[] bytes) {
        return new Letter(new String(bytes, ISO_8859_1));
    }

    /** Returns the bytes of a text in UTF-8, each as one char. */
    static String octets(String unicode) {
        return new String(unicode.getBytes(UTF_8), ISO_8859_1);
    }

    byte[] bytes() {
        return text.getBytes(ISO_8859_1);
    }

    String id() {
        return header(ID).orElse("");
    }

    String body() {
        int end = text.indexOf("\r\n\r\n");
        return end < 0 ? "" : text.substring(end + 4);
    }

    /**
     * Returns the header fields unchanged, with folded lines kept together and without the last
     * CRLF.
     */
    List<String> fields() {
        int end = text.indexOf("\r\n\r\n");
        List<String> fields = new ArrayList<>();
        for (String line : (end < 0 ? text : text.substring(0, end)).split("\r\n", -1)) {
            if (!fields.isEmpty() && (line.startsWith(" ") || line.startsWith("\t"))) {
                fields.set(fields.size() - 1, fields.getLast() + "\r\n" + line);
            } else {
                fields.add(line);
            }
        }
        return fields;
    }

    /** Returns the name of a header field in lower case. */
    static String name(String field) {
        return field.substring(0, Math.max(0, field.indexOf(':'))).strip().toLowerCase(Locale.ROOT);
    }

    /** Returns the values of the header fields with this name, unfolded. */
    List<String> headers(String name) {
        return fields().stream()
                .filter(field -> name(field).equals(name.toLowerCase(Locale.ROOT)))
                .map(
                        field ->
                                field.substring(field.indexOf(':') + 1)
                                        .replaceAll("\r\n(?=[ \t])", "")
                                        .strip())
                .toList();
    }

    /** Returns the verdict in the header of the plugin. */
    Optional<String> verdict() {
        return header("X-Sender-Whitelist").map(value -> value.split(";", -1)[0]);
    }

    Optional<String> header(String name) {
        return headers(name).stream().findFirst();
    }
}
