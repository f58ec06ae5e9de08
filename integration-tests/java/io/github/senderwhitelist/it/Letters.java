package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.Letter.octets;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Mails of the kinds a server sees. Two kinds are left out because James itself changes or refuses
 * them, whitelist or not: bytes over 127 in a header become question marks as soon as any mailet
 * touches the headers, and its SMTP server does not take lines of more than about 8,000 characters.
 */
final class Letters {
    private static final String HEAD =
            """
            From: Someone <someone@example.com>
            To: Sam <sam@here.example>
            Date: Mon, 02 Nov 2026 09:00:00 +0100
            Message-ID: <1@example.com>
            MIME-Version: 1.0
            """;

    private Letters() {}

    /** Makes a new letter of this kind. */
    static Letter of(String kind) {
        return Objects.requireNonNull(all().get(kind), kind);
    }

    /** Makes a new letter of each kind. */
    static Map<String, Letter> all() {
        Map<String, Letter> letters = new LinkedHashMap<>();
        letters.put(
                "plain text",
                letter(
                        HEAD + "Subject: plain\nContent-Type: text/plain; charset=us-ascii\n",
                        "Hello\n\nBye\n"));
        letters.put("no body", letter(HEAD + "Subject: no body\n", ""));
        letters.put("only empty lines", letter(HEAD + "Subject: empty lines\n", "\n\n\n\n"));
        letters.put(
                "multipart with attachment, preamble and epilogue",
                letter(
                        HEAD
                                + "Subject: attachment\n"
                                + "Content-Type: multipart/mixed;\n"
                                + "\tboundary=\"=_part 1\"\n",
                        """
                        This is a preamble.

                        --=_part 1
                        Content-Type: text/html; charset=utf-8
                        Content-Transfer-Encoding: quoted-printable

                        <p>Gr=C3=BC=C3=9Fe=20=
                        </p>
                        --=_part 1
                        Content-Type: application/octet-stream; name="random.bin"
                        Content-Disposition: attachment; filename="random.bin"
                        Content-Transfer-Encoding: base64

                        %s
                        --=_part 1--
                        An epilogue.
                        """
                                .formatted(base64(200_000))));
        letters.put(
                "a mail inside a mail",
                letter(
                        HEAD + "Subject: Fwd\nContent-Type: multipart/mixed; boundary=outer\n",
                        """
                        --outer
                        Content-Type: message/rfc822

                        From: inner@example.com
                        Bcc: hidden@example.com
                        Subject: inner

                        Inner text
                        --outer--
                        """));
        letters.put(
                "8-bit text in UTF-8",
                letter(
                        HEAD
                                + "Subject: utf-8\n"
                                + "Content-Type: text/plain; charset=utf-8\n"
                                + "Content-Transfer-Encoding: 8bit\n",
                        octets("Grüße aus Köln — 你好 🐝\n")));
        letters.put(
                "8-bit text in Latin-1",
                letter(
                        HEAD
                                + "Subject: latin-1\n"
                                + "Content-Type: text/plain; charset=iso-8859-1\n"
                                + "Content-Transfer-Encoding: 8bit\n",
                        "Gr\u00fc\u00dfe\n"));
        letters.put(
                "8-bit text that says nothing of it",
                letter("Subject: 8-bit\n", octets("Grüße\n")));
        letters.put(
                "every byte but NUL, CR and LF", letter(HEAD + "Subject: bytes\n", bytes() + "\n"));
        letters.put(
                "folded headers, odd spaces",
                letter(
                        HEAD
                                + """
                                Subject: a subject
                                 that goes on
                                \tand on \s
                                X-Empty:
                                X-No-Space:value
                                X-Spaces:    many   spaces  \s
                                References: <a@example.com>
                                  <b@example.com>
                                  <c@example.com>
                                """,
                        "Hello\n"));
        letters.put(
                "huge headers",
                letter(
                        HEAD
                                + "Subject: huge\n"
                                + "X-Line: 0123456789012345678901234567890123456789\n".repeat(500)
                                + "References: <0@example.com>"
                                + "\n <0123456789abcdef@example.com>".repeat(1000)
                                + "\n",
                        "Hello\n"));
        letters.put(
                "a header line of 5,000 characters",
                letter(HEAD + "Subject: long\nX-Long: " + "x".repeat(5000) + "\n", "Hello\n"));
        letters.put(
                "lines of 5,000 characters",
                letter(HEAD + "Subject: long lines\n", ("y".repeat(5_000) + "\n").repeat(3)));
        letters.put("lines of dots", letter(HEAD + "Subject: dots\n", ".\n..\n...\n.a\n. \n\n.\n"));
        letters.put(
                "spaces at the ends of lines",
                letter(HEAD + "Subject: spaces\n", "a  \n\t\n  b\t \n-- \nsig\n"));
        letters.put(
                "to a mailing list",
                letter(
                        """
                        Received: from a.example by b.example; Mon, 02 Nov 2026 09:00:00 +0100
                        DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=k;
                        \th=from:to:subject; bh=AAAA=;
                        \tb=BBBB
                          CCCC=
                        List-Id: A list <list.lists.example.net>
                        List-Unsubscribe: <mailto:list-request@lists.example.net>
                        Precedence: bulk
                        """
                                + HEAD
                                + "Subject: [list] hello\n",
                        "Hello list\n"));
        letters.put(
                "a delivery report",
                letter(
                        HEAD
                                + """
                                Subject: Delivery failed
                                Auto-Submitted: auto-replied
                                Content-Type: multipart/report; report-type=delivery-status; boundary=dsn
                                """,
                        """
                        --dsn
                        Content-Type: text/plain

                        No such user.
                        --dsn
                        Content-Type: message/delivery-status

                        Reporting-MTA: dns; mx.example.com

                        Final-Recipient: rfc822; nobody@example.com
                        Action: failed
                        Status: 5.1.1
                        --dsn--
                        """));
        letters.put(
                "a lie about the verdict",
                letter(
                        HEAD
                                + "Subject: lie\n"
                                + "X-Sender-Whitelist: listed; reason=listed\n"
                                + "x-sender-whitelist :\n\tlisted\n"
                                + "X-Sender-Whitelist-Entry: not ours\n",
                        "Trust me\n"));
        letters.put(
                "a broken multipart",
                letter(
                        HEAD + "Subject: broken\nContent-Type: multipart/mixed; boundary=nowhere\n",
                        "--other\nno such boundary\n"));
        letters.put(
                "a broken content type",
                letter(HEAD + "Subject: broken\nContent-Type: ;;;===\"\n", "Hello\n"));
        return letters;
    }

    private static Letter letter(String headers, String body) {
        return Letter.of(headers.replace("\n", "\r\n"), body.replace("\n", "\r\n"));
    }

    private static String base64(int bytes) {
        byte[] random = new byte[bytes];
        new Random(1).nextBytes(random);
        return Base64.getMimeEncoder(76, new byte[] {'\n'}).encodeToString(random);
    }

    private static String bytes() {
        StringBuilder bytes = new StringBuilder();
        for (char c = 1; c < 256; c++) {
            if (c != '\r' && c != '\n') {
                bytes.append(c);
            }
        }
        return bytes.toString();
    }
}
