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
import java.util.List;

/** Reads the command in mails as programs of users write them, and in hostile ones. */
class MailCommandTest {
    private static MailCommand read(String raw, Charset charset) throws Exception {
        return MailCommand.of(
                new MimeMessage(
                        (Session) null,
                        new ByteArrayInputStream(raw.replace("\n", "\r\n").getBytes(charset))));
    }

    private static String read(String raw) throws Exception {
        return read(raw, UTF_8).toString();
    }

    private static String html(String html) throws Exception {
        return read("Subject: Re: hello\nContent-Type: text/html\n\n" + html + "\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "SHOW => show",
                "help => help",
                "Yes! => yes",
                "Add Bob@X.Example => add bob@x.example",
                "'add\tbob@x.example' => add bob@x.example",
                "REMOVE  <bob@x.example> => remove bob@x.example",
                "\u200badd \u200bbob@x.example\u200e => add bob@x.example",
                "add ä@x.example => add ä@x.example",
                "=?utf-8?B?c2hvdw==?= => show",
                "=?no-such-charset?Q?show?= => your mail",
                "=?utf-8?Q?show=0Aadd_bob@x.example?= => your mail",
                "Re: show => your mail",
                "shower => your mail",
            })
    void subjectShouldBeReadAsACommand(String subject, String expected) throws Exception {
        assertThat(read("Subject: " + subject + "\n\n")).isEqualTo(expected);
    }

    @Test
    void textShouldNotBeReadWhenTheSubjectIsACommand() throws Exception {
        assertThat(read("Subject: show\n\nadd mallory@evil.example\n")).isEqualTo("show");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "add | local@domain",
                "add bob | local@domain",
                "add *@x.example | a pattern",
                "add @x.example | local@domain",
                "show me | nothing after the first word",
                "yes please | nothing after the first word",
                "add bo\u200bb@x.example | has U+200B",
                "add \"a b\"@x.example | or has blanks or characters that do not show",
                "hello | no command",
            })
    void reasonShouldSayWhatIsWrong(String line, String reason) throws Exception {
        assertThat(read("Subject: x\n\n" + line + "\n", UTF_8))
                .isInstanceOfSatisfying(
                        MailCommand.Wrong.class,
                        wrong -> assertThat(wrong.reason()).contains(reason));
    }

    @Test
    void addressShouldBeRefusedWhenNoSubjectHasRoomForIt() throws Exception {
        String domain = ".domain-of-forty-characters-and-no-more".repeat(5).substring(1);
        assertThat(read("Subject: add bob@" + domain + "\n\n", UTF_8))
                .isInstanceOf(MailCommand.Wrong.class);
    }

    /** Outlook, and a mail with attachments and others' mails in it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                """
                Subject:
                MIME-Version: 1.0
                Content-Type: multipart/alternative;
                \tboundary="_000_AM0PR_"

                --_000_AM0PR_
                Content-Type: text/plain; charset="Windows-1252"
                Content-Transfer-Encoding: quoted-printable

                add=A0j=F6rg@stranger.exa=
                mple <mailto:J=F6rg@stranger.example>

                Von: Eve <eve@far.example>
                --_000_AM0PR_
                Content-Type: text/html; charset="Windows-1252"

                <p>add mallory@evil.example</p>
                --_000_AM0PR_--
                """,
                """
                Subject: x
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

                YWRkIGrDtnJnQHN0cmFuZ2VyLmV4YW1wbGUK
                --b
                Content-Type: text/html

                <p>x
                --b--
                --a--
                """,
                """
                Subject: my list
                Content-Type: text/plain; charset=ISO-8859-1; format=flowed
                Content-Transfer-Encoding: 8bit

                add jörg@stranger.example\s

                --\s
                Sam
                """,
            })
    void partsShouldBeReadAsMailProgramsWriteThem(String raw) throws Exception {
        assertThat(read(raw, ISO_8859_1)).hasToString("add jörg@stranger.example");
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
                "> add mallory@evil.example",
                "On 24.11.26, whitelist@here.example wrote:\n> yes\n>> add eve@evil.example",
            })
    void textShouldBeNoCommandWhenItsOwnFirstLineIsNone(String text) throws Exception {
        assertThat(read("Subject: Re: add mallory@evil.example\n\n\n" + text + "\n", UTF_8))
                .isInstanceOf(MailCommand.Wrong.class);
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
    void yesShouldBeReadAboveAndBelowWhatIsQuoted(String text) throws Exception {
        assertThat(read("Subject: Re: hello\n\n" + text + "\n")).isEqualTo("yes");
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
    void yesShouldBeReadInHtmlAlone(String html) throws Exception {
        assertThat(html(html)).isEqualTo("yes");
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
    void yesShouldNotBeReadInOtherHtml(String html) throws Exception {
        assertThat(html(html)).isNotEqualTo("yes");
    }

    @Test
    void htmlShouldBeReadOnlyWhereThereIsNoPlainText() throws Exception {
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
        assertThat(read(both.formatted("no"))).isEqualTo("no");
        assertThat(read(both.formatted(" "))).isEqualTo("yes");
    }

    @Test
    void hostileHtmlShouldBeReadInTimeInProportionToItsLength() throws Exception {
        for (String piece : List.of("<", "<!--", "<blockquote>", "&#", "<p", "<style>", " ", "&")) {
            assertThat(html(piece.repeat((60 << 10) / piece.length()))).isNotEqualTo("yes");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: text/html\nContent-Disposition: attachment\n\n<p>show</p>\n",
                "Content-Type: multipart/mixed; boundary=a\n\nadd mallory@evil.example\n",
                "Content-Type: message/rfc822\n\nSubject: x\n\nadd mallory@evil.example\n",
                "Content-Disposition: attachment\n\nadd mallory@evil.example\n",
            })
    void answerShouldSayThatThereIsNoText(String raw) throws Exception {
        assertThat(read("Subject: hello\nMIME-Version: 1.0\n" + raw)).isEqualTo("your mail");
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
    void textShouldBeReadWhenSomethingIsSlightlyWrong(String raw) throws Exception {
        assertThat(read("Subject: hello\nMIME-Version: 1.0\n" + raw)).isEqualTo("show");
    }

    @Test
    void partsWithinPartsWithoutEndShouldBeGivenUp() throws Exception {
        StringBuilder raw = new StringBuilder("Subject: hello\n");
        for (int i = 0; i < 20_000; i++) {
            raw.append("Content-Type: multipart/mixed; boundary=%1$s\n\n--%1$s\n".formatted(i));
        }
        assertThat(read(raw + "\n\nshow\n")).isEqualTo("your mail");
    }

    @Test
    void onlyTheBeginningOfALongMailShouldBeRead() throws Exception {
        String quoted = "> quoted\n".repeat(100_000);
        assertThat(read("Subject: x\n\n" + quoted + "show\n")).isEqualTo("your mail");
        assertThat(read("Subject: x\n\nshow\n" + quoted)).isEqualTo("show");
    }
}
