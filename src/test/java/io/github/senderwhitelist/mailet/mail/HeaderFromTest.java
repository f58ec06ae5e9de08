package io.github.senderwhitelist.mailet.mail;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

class HeaderFromTest {
    private static final int LONG = 200_000;
    private static final String ALICE = "alice@example.com";

    /** Returns the mailbox of a mail that a server has received with this header. */
    private static @Nullable String mailbox(String from) throws MessagingException {
        MimeMessage message =
                TestServer.message("Subject: x\r\nFrom: " + from + "\r\n\r\nHello\r\n");
        Address mailbox = HeaderFrom.mailbox(message);
        return mailbox == null ? null : mailbox.toString();
    }

    @ParameterizedTest(name = "{0}")
    @TableSource
    void headerOfAMegabyteShouldBeReadWithoutRecursion(
            String name, String before, String repeated, String after, String mailbox)
            throws Exception {
        String begin = before.replace("ALICE", ALICE);
        String piece = repeated.replace("ALICE", ALICE);
        String end = after.replace("ALICE", ALICE);
        int bytes = piece.getBytes(StandardCharsets.UTF_8).length;
        String header = begin + piece.repeat((LONG - begin.length() - end.length()) / bytes) + end;
        String expected = mailbox.equals("nobody") ? "null" : ALICE;
        assertThat(readOnASmallStack(header)).isEqualTo(expected);
    }

    @Test
    void nestedCommentsShouldBeReadWithoutRecursion() throws Exception {
        String header = "(".repeat(LONG / 2) + ")".repeat(LONG / 2) + ALICE;
        assertThat(readOnASmallStack(header)).isEqualTo(ALICE);
    }

    /** Returns whom a header names, or why it is not read, in a thread where recursion shows. */
    private static String readOnASmallStack(String header) throws InterruptedException {
        AtomicReference<String> result = new AtomicReference<>("nothing");
        Runnable read =
                () -> {
                    try {
                        result.set(String.valueOf(mailbox(header)));
                    } catch (Throwable e) {
                        result.set(e.toString());
                    }
                };
        Thread thread = new Thread(null, read, "reads a header", 256 * 1024);
        thread.start();
        thread.join();
        return result.get();
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
            assertThat(mailbox(String.format(from, control))).as(from).isNull();
        }
    }
}
