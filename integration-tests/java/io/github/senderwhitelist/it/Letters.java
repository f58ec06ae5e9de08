package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.Letter.octets;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

    private final Map<String, Letter> letters = new LinkedHashMap<>();

    private Letters() {
        add("plain text", "Content-Type: text/plain; charset=us-ascii\n", "Hello\n\nBye\n");
        add("no body", "", "");
        add("only empty lines", "", "\n\n\n\n");
        add(
                "multipart with attachment, preamble and epilogue",
                "Content-Type: multipart/mixed;\n\tboundary=\"=_part 1\"\n",
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
                        .formatted(base64(200_000)));
        add(
                "a mail inside a mail",
                "Content-Type: multipart/mixed; boundary=outer\n",
                """
                --outer
                Content-Type: message/rfc822

                From: inner@example.com
                Bcc: hidden@example.com
                Subject: inner

                Inner text
                --outer--
                """);
        String text = "Content-Transfer-Encoding: 8bit\nContent-Type: text/plain; charset=";
        add("8-bit text in UTF-8", text + "utf-8\n", octets("Grüße aus Köln — 你好 🐝\n"));
        add("8-bit text in Latin-1", text + "iso-8859-1\n", "Gr\u00fc\u00dfe\n");
        put("8-bit text that says nothing of it", "Subject: 8-bit\n", octets("Grüße\n"));
        add(
                "every byte but NUL, CR and LF",
                "",
                IntStream.range(1, 256)
                                .filter(c -> c != '\r' && c != '\n')
                                .mapToObj(c -> String.valueOf((char) c))
                                .collect(Collectors.joining())
                        + "\n");
        add(
                "folded headers, odd spaces",
                """
                X-Folded: a header
                 that goes on
                \tand on \s
                X-Empty:
                X-No-Space:value
                X-Spaces:    many   spaces  \s
                References: <a@example.com>
                  <b@example.com>
                  <c@example.com>
                """,
                "Hello\n");
        add(
                "huge headers",
                "X-Line: 0123456789012345678901234567890123456789\n".repeat(500)
                        + ("X-Long: " + "x".repeat(5000) + "\n")
                        + "References: <0@example.com>"
                        + "\n <0123456789abcdef@example.com>".repeat(1000)
                        + "\n",
                "Hello\n");
        add("lines of 5,000 characters", "", ("y".repeat(5_000) + "\n").repeat(3));
        add("lines of dots", "", ".\n..\n...\n.a\n. \n\n.\n");
        add("spaces at the ends of lines", "", "a  \n\t\n  b\t \n-- \nsig\n");
        put(
                "to a mailing list",
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
                "Hello list\n");
        add(
                "a delivery report",
                """
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
                """);
        add(
                "a lie about the verdict",
                """
                X-Sender-Whitelist: listed; reason=listed
                x-sender-whitelist :
                \tlisted
                X-Sender-Whitelist-Entry: not ours
                """,
                "Trust me\n");
        add(
                "a broken multipart",
                "Content-Type: multipart/mixed; boundary=nowhere\n",
                "--other\nno such boundary\n");
        add("a broken content type", "Content-Type: ;;;===\"\n", "Hello\n");
    }

    /** Makes a new letter of this kind. */
    static Letter of(String kind) {
        return Objects.requireNonNull(all().get(kind), kind);
    }

    /** Makes a new letter of each kind. */
    static Map<String, Letter> all() {
        return new Letters().letters;
    }

    private void add(String kind, String headers, String body) {
        put(kind, HEAD + "Subject: " + kind + "\n" + headers, body);
    }

    private void put(String kind, String headers, String body) {
        Letter letter = Letter.of(headers.replace("\n", "\r\n"), body.replace("\n", "\r\n"));
        letters.put(kind, letter);
    }

    private static String base64(int bytes) {
        byte[] random = new byte[bytes];
        new Random(1).nextBytes(random);
        return Base64.getMimeEncoder(76, new byte[] {'\n'}).encodeToString(random);
    }
}
