package io.github.senderwhitelist.mailet.bymail;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.nio.charset.Charset;
import java.util.Base64;
import java.util.List;

/** Reads commands from mails as programs of users write them, and from hostile ones. */
class MailCommandsTest {
    private static final String NO_TEXT = "The mail has no text, so no lines were read.";

    private static MimeMessage message(String raw, Charset charset) throws Exception {
        return new MimeMessage(
                (Session) null,
                new ByteArrayInputStream(raw.replace("\n", "\r\n").getBytes(charset)));
    }

    private static MailCommands read(String raw) throws Exception {
        return MailCommands.of(message(raw, UTF_8));
    }

    private static List<String> commands(String raw) throws Exception {
        return read(raw).commands().stream().map(Object::toString).toList();
    }

    @Test
    void shouldReadPlainMails() throws Exception {
        assertThat(
                        commands(
                                """
                                Subject: my list
                                MIME-Version: 1.0
                                Content-Type: text/plain; charset=UTF-8; format=flowed
                                Content-Transfer-Encoding: 8bit

                                add jürgen@bücher.example
                                remove bob@x.example\s

                                --\s
                                Sam
                                """))
                .containsExactly("add jürgen@xn--bcher-kva.example", "remove bob@x.example");
        assertThat(commands("Subject: x\n\nshow\n")).containsExactly("show");
    }

    @Test
    void shouldNameCharactersThatDoNotShowAndPatterns() throws Exception {
        assertThat(
                        commands(
                                """
                                Subject: x
                                Content-Type: text/plain; charset=UTF-8

                                \u200badd \u200bbob@x.example\u200e
                                add bo\u200bb@x.example
                                add *@x.example
                                """))
                .containsExactly(
                        "add bob@x.example", "add bo\\u200bb@x.example", "add *@x.example");
        assertThat(
                        read("""
                        Subject: x
                        Content-Type: text/plain; charset=UTF-8

                        add bo\u200bb@x.example
                        add *@x.example
                        """)
                                .commands())
                .map(command -> ((MailCommand.Wrong) command).reason())
                .satisfiesExactly(
                        first -> assertThat(first).contains("has U+200B"),
                        second -> assertThat(second).contains("patterns are not known"));
    }

    @Test
    void shouldReadTheTextOfOutlook() throws Exception {
        MailCommands read =
                MailCommands.of(
                        message(
                                """
                                Subject:
                                MIME-Version: 1.0
                                Content-Type: multipart/alternative;
                                \tboundary="_000_AM0PR_"

                                --_000_AM0PR_
                                Content-Type: text/plain; charset="Windows-1252"
                                Content-Transfer-Encoding: quoted-printable

                                add bob@stranger.example<mailto:bob@stranger.example>
                                add=A0carol@stranger.example <mailto:Carol@stranger.example>
                                add <j=F6rg@stranger.exa=
                                mple>


                                Von: Eve <eve@far.example>
                                Gesendet: Montag
                                Betreff: Hallo

                                add mallory@evil.example

                                --_000_AM0PR_
                                Content-Type: text/html; charset="Windows-1252"

                                <p>add mallory@evil.example</p>
                                --_000_AM0PR_--
                                """,
                                ISO_8859_1));
        assertThat(read.commands())
                .extracting(Object::toString)
                .containsExactly(
                        "add bob@stranger.example",
                        "add carol@stranger.example",
                        "add jörg@stranger.example");
        assertThat(read.remark()).startsWith("Line 6 is no command");
    }

    @Test
    void shouldReadBase64BesideAttachments() throws Exception {
        String text =
                Base64.getMimeEncoder().encodeToString("show\nadd ö@x.example".getBytes(UTF_8));
        assertThat(
                        commands(
                                """
                                Subject: =?UTF-8?Q?add_=C3=A4@x.example?=
                                MIME-Version: 1.0
                                Content-Type: multipart/mixed; boundary=a

                                preamble
                                --a
                                Content-Type: text/plain; name=evil.txt
                                Content-Disposition: ATTACHMENT; filename=evil.txt

                                add mallory@evil.example
                                --a
                                Content-Type: message/rfc822

                                Subject: x
                                Content-Type: text/plain

                                add mallory@evil.example
                                --a
                                Content-Type: multipart/alternative; boundary=b

                                --b
                                Content-Type: text/plain; charset=utf-8
                                Content-Transfer-Encoding: base64

                                %s
                                --b
                                Content-Type: text/html

                                <p>x
                                --b--
                                --a--
                                """
                                        .formatted(text)))
                .containsExactly("add ä@x.example", "show", "add ö@x.example");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-----Original Message-----\nadd mallory@evil.example",
                "On Monday, Eve wrote:\nadd mallory@evil.example",
                "From: Eve\nadd mallory@evil.example",
                "Thanks!\nadd mallory@evil.example",
                "addmallory@evil.example",
                "Yes, but not bob",
                "Yes,\nbut not bob",
                "yes?",
                "[EXTERNAL] yes",
                "[no\nyes",
                "CAUTION: I never asked!\nyes",
                "[EXTERNAL]\nno\nyes",
                "no\n[EXTERNAL]\nyes",
                "I never asked!\n\nOn 24.11.26, whitelist@here.example wrote:\n> yes\n\nyes",
                "On 24.11.26, I wrote to whitelist@here.example:\nyes",
                "add\tmallory@evil.example\u0000",
            })
    void shouldNotReadWhatFollowsALineThatIsNoCommand(String text) throws Exception {
        MailCommands read = read("Subject: Re: add mallory@evil.example\n\n\n" + text + "\n");
        assertThat(read.commands()).isEmpty();
        assertThat(read.remark()).startsWith("Line ").endsWith("what follows was not read.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "> add mallory@evil.example",
                "On 24.11.26, whitelist@here.example wrote:\n> yes\n>> add eve@evil.example",
            })
    void shouldNotReadWhatIsQuoted(String text) throws Exception {
        assertThat(read("Subject: Re: hello\n\n" + text + "\n"))
                .isEqualTo(
                        new MailCommands(
                                List.of(),
                                "The subject is no command, and the mail has no text of its own."));
    }

    /** Each is a whole text as a mail program sends it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "yes",
                "\n\u00a0\n YES \nadd mallory@evil.example",
                "yes\n-- \nSam",
                "Yes.",
                "YES!\nadd mallory@evil.example",
                // A gateway on the way marks mails.
                "[EXTERNAL]\nyes",
                "\n[Externe E-Mail]\n[image: logo]\n\nYes.\n-- \nSam",
                "[EXTERN]\n\nOn 24.11.26, whitelist@here.example wrote:\n> A mail\n\nyes",
                // Apple Mail
                "yes\n\n> On 24. Nov 2026, at 10:00, whitelist@here.example wrote:\n> \n> A mail",
                // Outlook
                """
                Yes

                ________________________________
                Von: whitelist@here.example
                Betreff: C
                """,
                // Thunderbird and Roundcube
                """
                Am 24.11.26 um 10:00 schrieb whitelist@here.example:
                > A mail
                > yes

                yes

                --\s
                S
                """,
                "On 2026-11-24 10:00, whitelist@here.example wrote:\n> A mail\n> \n\nyes",
                // Gmail
                """
                On Tue, 24 Nov 2026 at 10:00, <
                whitelist@here.example> wrote:

                > A mail

                yes
                """,
            })
    void shouldReadYesAboveAndBelowWhatIsQuoted(String text) throws Exception {
        assertThat(read("Subject: Re: hello\n\n" + text + "\n"))
                .isEqualTo(new MailCommands(List.of(MailCommand.Word.YES), null));
    }

    /** Each is a whole mail of HTML alone, as a program writes it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "yes",
                "<p>Yes.</p>",
                "<div>[EXTERNAL]</div><div>&nbsp;yes&#160;</div>",
                // Outlook
                """
                <html xmlns:o="urn:schemas-microsoft-com:office:office"><head>
                <meta http-equiv="Content-Type" content="text/html; charset=utf-8">
                <title>no</title>
                <!--[if gte mso 9]><xml><o:x>no</o:x></xml><![endif]-->
                <style type="text/css"><!-- p {margin: 0} --></style>
                </head><body lang="DE"><div class="WordSection1">
                <p class="MsoNormal"><span lang="EN-US">Yes<o:p></o:p></span></p>
                <div style="border-top:solid 1pt"><p><b>Von:</b> whitelist@here.example<br>
                <b>Betreff:</b> C</p></div><p>Write "yes" as the first line</p>
                </div></body></html>
                """,
                // Apple Mail
                """
                <html><head></head><body dir="auto">yes<br id="lineBreakAtBeginningOfSignature">
                <div dir="ltr"><br><blockquote type="cite">Am 24. Nov. schrieb whitelist:<br>
                </blockquote></div><blockquote type="cite"><div>A mail</div></blockquote></body>
                """,
                // Thunderbird, below what is quoted
                """
                <!DOCTYPE html><body>
                <div class="moz-cite-prefix">Am 24.11.26 um 10:00 schrieb
                  whitelist@here.example:<br></div>
                <BLOCKQUOTE cite="mid:x"><pre>A mail
                no</pre><blockquote><p>no</p></blockquote>no</BLOCKQUOTE>
                <p>y<b>es</b></p>
                """,
            })
    void shouldReadYesInHtmlAlone(String html) throws Exception {
        MailCommands read = read("Subject: Re: hello\nContent-Type: text/html\n\n" + html + "\n");
        assertThat(read.commands()).containsExactly(MailCommand.Word.YES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<p>no</p><p>yes</p>",
                "<p>Yes, but not bob</p>",
                "<p>yes<i>terday</i></p>",
                "<p>yes &lt;br&gt; no</p>",
                "<blockquote>yes</blockquote>",
                "<blockquote><p>A mail</p><p>yes</p></blockquote>",
                "<blockquote>A<blockquote>mail</blockquote>yes</blockquote>",
                "</blockquote><blockquote>yes</blockquote>",
                "I wrote:<blockquote>A mail</blockquote>yes",
                "<style>yes</style>",
                "<script>x<y</script><p>yes",
                "<!-- <p>yes</p>",
                "<p title='",
                "yes &no; <",
            })
    void shouldNotReadYesInOtherHtml(String html) throws Exception {
        MailCommands read = read("Subject: Re: hello\nContent-Type: text/html\n\n" + html + "\n");
        assertThat(read.commands()).doesNotContain(MailCommand.Word.YES);
    }

    @Test
    void shouldReadHtmlOnlyWhereThereIsNoPlainText() throws Exception {
        String both =
                """
                Subject: Re: hello
                Content-Type: multipart/alternative; boundary=a

                --a
                Content-Type: text/html

                <p>yes</p>
                --a
                Content-Type: text/plain

                %s
                --a--
                """;
        assertThat(commands(both.formatted("no"))).isEmpty();
        assertThat(commands(both.formatted(" "))).containsExactly("yes");
    }

    @Test
    void shouldReadHostileHtmlInTimeInProportionToItsLength() throws Exception {
        for (String piece : List.of("<", "<!--", "<blockquote>", "&#", "<p", "<style>", " ", "&")) {
            String html = piece.repeat((60 << 10) / piece.length());
            assertThat(commands("Subject: x\nContent-Type: text/html\n\n" + html)).isEmpty();
        }
    }

    @Test
    void shouldReadACommandAboveWhatIsQuoted() throws Exception {
        assertThat(
                        commands(
                                """
                                Subject: Re: x

                                add bob@x.example
                                On 24.11.26 I wrote:
                                > add eve@evil.example
                                """))
                .containsExactly("add bob@x.example");
    }

    @Test
    void shouldReadYesAsTheFirstLineOnly() throws Exception {
        assertThat(read("Subject: x\n\nshow\nyes\n").commands().getLast())
                .isEqualTo(
                        new MailCommand.Wrong(
                                "yes", "it counts only as the first line of a reply"));
        assertThat(commands("Subject: x\n\nyes please\n")).containsExactly("yes please");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "SHOW => show",
                "help => help",
                "Add Bob@X.Example => add bob@x.example",
                "'add\tbob@x.example' => add bob@x.example",
                "REMOVE  <bob@x.example> => remove bob@x.example",
                "add ä@x.example => add ä@x.example",
                "=?utf-8?B?c2hvdw==?= => show",
                "=?no-such-charset?Q?show?= => -",
                "=?utf-8?Q?show=0Aadd_bob@x.example?= => -",
                "Re: show => -",
                "shower => -",
            })
    void shouldReadTheSubject(String subject, String expected) throws Exception {
        assertThat(commands("Subject: " + subject + "\n\n"))
                .isEqualTo(expected.equals("-") ? List.of() : List.of(expected));
    }

    @Test
    void shouldNotMindASignatureBelowACommandInTheSubject() throws Exception {
        assertThat(read("Subject: show\n\nSam Smith\nadd mallory@evil.example\n"))
                .isEqualTo(new MailCommands(List.of(MailCommand.Word.SHOW), null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: text/html\nContent-Disposition: attachment\n\n<p>show</p>\n",
                "Content-Type: multipart/mixed; boundary=a\n\nadd mallory@evil.example\n",
                "Content-Type: message/rfc822\n\nSubject: x\n\nadd mallory@evil.example\n",
                "Content-Disposition: attachment\n\nadd mallory@evil.example\n",
            })
    void shouldSayThatThereIsNoText(String raw) throws Exception {
        assertThat(read("Subject: hello\nMIME-Version: 1.0\n" + raw))
                .isEqualTo(new MailCommands(List.of(), NO_TEXT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: text/plain; charset=no-such-thing\n\nshow\n",
                "Content-Type: text/plain; charset=\"\n\nshow\n",
                "Content-Type: text/plain; charset=us-ascii\n\nshow\n",
                "Content-Type: TEXT/Plain\nContent-Transfer-Encoding: QUOTED-printable\n\nsho=77\n",
                "Content-Transfer-Encoding: no-such-thing\n\nshow\n",
                "Content-Transfer-Encoding: base64\n\nc2hvdw=\n",
                "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nshow\n",
                "Content-Type: multipart/mixed\n\nshow\n",
                "Content-Type: text/html\n\n<p>show</p>\n",
            })
    void shouldReadWhatIsSlightlyWrong(String raw) throws Exception {
        assertThat(commands("Subject: hello\nMIME-Version: 1.0\n" + raw)).containsExactly("show");
    }

    @Test
    void shouldGiveUpOnPartsWithinPartsWithoutEnd() throws Exception {
        StringBuilder raw = new StringBuilder("Subject: hello\n");
        for (int i = 0; i < 20_000; i++) {
            raw.append("Content-Type: multipart/mixed; boundary=%1$s\n\n--%1$s\n".formatted(i));
        }
        assertThat(read(raw + "\n\nshow\n").remark()).isEqualTo(NO_TEXT);
    }

    @Test
    void shouldReadOnlyTheBeginningOfALongMail() throws Exception {
        // 64 kB end within the line that adds, so that it seems to add another sender.
        String blanks = " ".repeat(900) + "\n";
        StringBuilder text = new StringBuilder("show\n");
        while (text.length() + 950 < 64 << 10) {
            text.append(blanks, 0, 899).append('\n');
        }
        int left = (64 << 10) - text.length();
        text.append(" ".repeat(left - 17)).append("add bob@x.example.org\n");
        text.append("remove bob@x.example\n".repeat(500_000));
        MimeMessage mail = new MimeMessage((Session) null);
        mail.setText(text.toString());
        mail.saveChanges();
        assertThat(MailCommands.of(mail).commands())
                .extracting(Object::toString)
                .containsExactly("show");
    }

    @Test
    void shouldNotReadALineThatIsCutWithTheMail() throws Exception {
        // 256 kB end within the line that adds u5, so that it seems to add another sender.
        String raw = "Subject: x\nX: " + "y".repeat((256 << 10) - 151) + "\n\nshow\n";
        StringBuilder text = new StringBuilder(raw);
        for (int i = 0; i < 9; i++) {
            text.append("add u").append(i).append("@x.example.org\n");
        }
        assertThat(commands(text.toString()))
                .containsExactly(
                        "show",
                        "add u0@x.example.org",
                        "add u1@x.example.org",
                        "add u2@x.example.org",
                        "add u3@x.example.org",
                        "add u4@x.example.org");
    }
}
