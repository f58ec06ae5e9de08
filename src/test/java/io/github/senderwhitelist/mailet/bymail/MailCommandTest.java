package io.github.senderwhitelist.mailet.bymail;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.tools.TableSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import java.nio.charset.Charset;
import java.util.List;

/** Reads the command in mails as programs of users write them, and in hostile ones. */
class MailCommandTest {
    private static MailCommand read(String raw, Charset charset) throws Exception {
        return MailCommand.of(TestServer.message(raw.replace("\n", "\r\n").getBytes(charset)));
    }

    private static String read(String raw) throws Exception {
        return read(raw, UTF_8).toString();
    }

    private static String html(String html) throws Exception {
        return read("Subject: Re: hello\nContent-Type: text/html\n\n" + html + "\n");
    }

    @ParameterizedTest
    @TableSource
    void subjectShouldBeReadAsACommand(String subject, String expected) throws Exception {
        assertThat(read("Subject: " + subject + "\n\n")).isEqualTo(expected);
    }

    @Test
    void textShouldNotBeReadWhenTheSubjectIsACommand() throws Exception {
        assertThat(read("Subject: show\n\nadd mallory@evil.example\n")).isEqualTo("show");
    }

    @ParameterizedTest
    @TableSource
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
    @TableSource
    void partsShouldBeReadAsMailProgramsWriteThem(String raw) throws Exception {
        assertThat(read(raw, ISO_8859_1)).hasToString("add jörg@stranger.example");
    }

    @ParameterizedTest
    @TableSource
    void textShouldBeNoCommandWhenItsOwnFirstLineIsNone(String text) throws Exception {
        assertThat(read("Subject: Re: add mallory@evil.example\n\n\n" + text + "\n", UTF_8))
                .isInstanceOf(MailCommand.Wrong.class);
    }

    /** Each is a whole text as a mail program sends it. */
    @ParameterizedTest
    @TableSource
    void yesShouldBeReadAboveAndBelowWhatIsQuoted(String text) throws Exception {
        assertThat(read("Subject: Re: hello\n\n" + text + "\n")).isEqualTo("yes");
    }

    /** Each is a whole mail of HTML alone, as a program writes it. */
    @ParameterizedTest
    @TableSource
    void yesShouldBeReadInHtmlAlone(String html) throws Exception {
        assertThat(html(html)).isEqualTo("yes");
    }

    @ParameterizedTest
    @TableSource
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
    @TableSource
    void answerShouldSayThatThereIsNoText(String raw) throws Exception {
        assertThat(read("Subject: hello\nMIME-Version: 1.0\n" + raw)).isEqualTo("your mail");
    }

    @ParameterizedTest
    @TableSource
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
