package io.github.senderwhitelist.mailet.mail;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

class HeaderFromTest {
    private static final int LONG = 1_000_000;
    private static final String ALICE = "alice@example.com";

    /** Returns the mailbox of a mail that a server has received with this header. */
    private static @Nullable String mailbox(String from) throws MessagingException {
        MimeMessage message =
                new MimeMessage(
                        (Session) null,
                        new ByteArrayInputStream(
                                ("Subject: x\r\nFrom: " + from + "\r\n\r\nHello\r\n")
                                        .getBytes(StandardCharsets.UTF_8)));
        Address mailbox = HeaderFrom.mailbox(message);
        return mailbox == null ? null : mailbox.toString();
    }

    /** Returns the mailbox of a header with characters that no server lets through. */
    private static @Nullable String mailboxOf(String value) throws MessagingException {
        MimeMessage message =
                new MimeMessage((Session) null) {
                    @Override
                    public String[] getHeader(String name) {
                        return new String[] {value};
                    }
                };
        Address mailbox = HeaderFrom.mailbox(message);
        return mailbox == null ? null : mailbox.toString();
    }

    /** Headers of any length, each of which a sender can write. */
    static List<Arguments> shapes() {
        List<Arguments> shapes = new ArrayList<>();
        // Headers with one certain mailbox.
        add(shapes, "a quoted name", "\"", "a", "\" <" + ALICE + ">", ALICE);
        add(shapes, "escapes", "\"", "\\\"", "\" <" + ALICE + ">", ALICE);
        add(shapes, "quoted names", "", "\"a\" ", "<" + ALICE + ">", ALICE);
        add(shapes, "a name", "", "a ", "<" + ALICE + ">", ALICE);
        add(shapes, "encoded words", "", "=?utf-8?q?a?= ", "<" + ALICE + ">", ALICE);
        add(shapes, "comments", "", "(a)", " " + ALICE, ALICE);
        add(shapes, "comments after it", ALICE, " (a)", "", ALICE);
        add(shapes, "escapes in a comment", "(", "\\)", ") " + ALICE, ALICE);
        add(shapes, "folded lines", "\"", "a\r\n ", "\" <" + ALICE + ">", ALICE);
        add(shapes, "folded quoted names", "", "\"a\"\r\n\t", "<" + ALICE + ">", ALICE);
        add(shapes, "folded white space", "", "\r\n ", ALICE, ALICE);
        add(shapes, "folding after it", ALICE, "\r\n ", "", ALICE);
        add(shapes, "commas", "", ",", ALICE, null);
        add(shapes, "UTF-8", "\"", "ü", "\" <" + ALICE + ">", ALICE);
        add(shapes, "ISO-2022-JP", "", "\u001b$B$\"\u001b(B", " <" + ALICE + ">", ALICE);
        shapes.add(
                Arguments.of(
                        "nested comments",
                        "(".repeat(LONG / 2) + ")".repeat(LONG / 2) + ALICE,
                        ALICE));
        // Headers without one.
        add(shapes, "an unterminated quote", "\"", "a", " <" + ALICE + ">", null);
        add(shapes, "unterminated escapes", "\"", "\\", "", null);
        add(shapes, "an odd number of quotes", "\"", "\"\"", "<" + ALICE + ">", null);
        add(shapes, "unterminated comments", "", "(", ALICE, null);
        add(shapes, "unopened comments", "", ")", ALICE, null);
        add(shapes, "open angle brackets", "", "<", ALICE + ">", null);
        add(shapes, "closing angle brackets", "", ">", ALICE, null);
        add(shapes, "angle brackets", "", "<" + ALICE + ">", "", null);
        add(shapes, "addresses", "", ALICE + ",", ALICE, null);
        add(shapes, "quoted strings and commas", "", "\"a\",", "<" + ALICE + ">", null);
        add(shapes, "groups", "", "g:" + ALICE + ";", "", null);
        add(shapes, "a group", "g:", ALICE + ",", ALICE + ";", null);
        add(shapes, "an unterminated group", "g:", ALICE + ",", ALICE, null);
        add(shapes, "empty groups", "", "g:;", ALICE, null);
        add(shapes, "colons", "", ":", ALICE, null);
        add(shapes, "a route", "<", "@a,", "@b:" + ALICE + ">", null);
        add(shapes, "routes", "<", "@a:", ALICE + ">", null);
        add(shapes, "at signs", "", "@", ALICE, null);
        add(shapes, "brackets", "", "[", ALICE, null);
        add(shapes, "backslashes", "", "\\", ALICE, null);
        add(shapes, "a long local part", "", "a", ALICE, null);
        add(shapes, "a long domain", ALICE, ".a", "", null);
        add(shapes, "letters without an end", "", "\u001b$B", " <" + ALICE + ">", null);
        add(shapes, "escape sequences", "", "\u001b$B@a.b\u001b(B", " <" + ALICE + ">", null);
        add(shapes, "the address as names", "", ALICE + " ", "<" + ALICE + ">", null);
        add(shapes, "the address as comments", "(", ALICE + " ", ") " + ALICE, ALICE);
        add(shapes, "open square brackets", "", "[", "] <" + ALICE + ">", ALICE);
        add(shapes, "square brackets", "", "[]", " <" + ALICE + ">", ALICE);
        add(shapes, "spaces", "", " ", ALICE, ALICE);
        add(shapes, "an encoded word of at signs", "=?utf-8?q?", "@", " <" + ALICE + ">", null);
        add(shapes, "a long encoded word", "=?utf-8?q?", "a", "@b?= <" + ALICE + ">", null);
        add(shapes, "names before at signs", "", "a@b ", "<" + ALICE + ">", null);
        return shapes;
    }

    private static void add(
            List<Arguments> shapes,
            String name,
            String before,
            String repeated,
            String after,
            @Nullable String mailbox) {
        int bytes = repeated.getBytes(StandardCharsets.UTF_8).length;
        int times = (LONG - before.length() - after.length()) / bytes;
        shapes.add(Arguments.of(name, before + repeated.repeat(times) + after, mailbox));
    }

    /** On a thread with a small stack, so that recursion shows. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("shapes")
    void headerOfAMegabyteShouldBeReadWithoutRecursion(
            String name, String header, @Nullable String mailbox) throws Exception {
        AtomicReference<Object> result = new AtomicReference<>("nothing");
        Thread thread =
                new Thread(
                        null,
                        () -> {
                            try {
                                result.set(String.valueOf(mailbox(header)));
                            } catch (Throwable e) {
                                result.set(e);
                            }
                        },
                        "reads " + name,
                        256 * 1024);
        thread.start();
        thread.join();

        assertThat(result.get()).isEqualTo(String.valueOf(mailbox));
    }

    @Test
    void headerShouldNameNobodyWhenItIsLongerThanAMegabyte() throws Exception {
        String end = "\" <" + ALICE + ">";
        int most = (1 << 20) - 1 - end.length();

        assertThat(mailbox("\"" + "a".repeat(most) + end)).isEqualTo(ALICE);
        assertThat(mailbox("\"" + "a".repeat(most + 1) + end)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x01, 0x07, 0x08, 0x0b, 0x0c, 0x0e, 0x1b, 0x1f, 0x7f})
    void headerShouldNameNobodyWhenItHasAControlCharacter(int control) throws Exception {
        for (String from :
                List.of(
                        "Alice%c <alice@example.com>",
                        "\"Alice%c\" <alice@example.com>",
                        "alice@example.com%c",
                        "alice@example.com (%c)",
                        "%calice@example.com",
                        "alice%c@example.com")) {
            assertThat(mailboxOf(String.format(from, control))).as(from).isNull();
            assertThat(mailbox(String.format(from, control))).as("received %s", from).isNull();
        }
    }
}
