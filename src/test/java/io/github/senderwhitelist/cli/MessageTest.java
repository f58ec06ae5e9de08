package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;

/** {@code check --message}: mails as they were delivered. */
class MessageTest extends CommandTest {
    @BeforeEach
    void makeList() throws IOException {
        Files.writeString(
                folder.resolve("l.txt"),
                """
                alice@example.com
                bob@example.com to=sam@here.example
                carol@example.com auth=spf
                """);
    }

    private int check(String mail, String... options) throws IOException {
        out.reset();
        err.reset();
        Files.writeString(folder.resolve("mail.eml"), mail);
        String[] line = new String[4 + options.length];
        line[0] = "check";
        line[1] = path("l.txt");
        line[2] = "--message";
        line[3] = path("mail.eml");
        System.arraycopy(options, 0, line, 4, options.length);
        return Main.run(out, line);
    }

    @Test
    void messageShouldBeJudgedByItsEnvelopeAndItsRecipient() throws IOException {
        assertThat(check("Return-Path: <alice@example.com>\r\nFrom: x@y.org\r\n\r\nbody")).isZero();
        assertThat(out()).isEqualTo("alice@example.com\tlisted\tlisted\talice@example.com\n");
        String bob = "Return-Path:\n <bob@example.com>\nDelivered-To: sam@here.example\n\n";
        assertThat(check(bob)).isZero();
        assertThat(check(bob, "--to", "ann@here.example")).isEqualTo(1);
        assertThat(check("Return-Path: <>\nFrom: alice@example.com\n\n")).isEqualTo(1);
        assertThat(out()).startsWith("<>\tnot-listed\tnull-sender");
    }

    @Test
    void messageWithoutReturnPathShouldBeJudgedByItsHeader() throws IOException {
        assertThat(check("Subject: x\nFROM: \"A, B\" <alice@example.com>\n\nFrom: x@y.org"))
                .isZero();
        assertThat(check("From: alice@example.com, x@y.org\n\n")).isEqualTo(2);
        assertThat(err()).contains("mail.eml: no mail that says who sent it").hasLineCount(1);
        assertThat(check("")).isEqualTo(2);
    }

    /** Anybody can write into a mail that it was confirmed. */
    @Test
    void messageShouldConfirmNothingByItself() throws IOException {
        String carol =
                """
                Return-Path: <carol@example.com>
                X-Sender-Whitelist: listed; confirmed=spf
                Authentication-Results: here.example; spf=pass

                """;
        assertThat(check(carol)).isEqualTo(1);
        assertThat(out()).contains("\tunauthenticated\t");
        assertThat(check(carol, "--auth", "spf")).isZero();
    }

    @Test
    void mailetShouldJudgeTheHeaderThatItIsToldTo() throws IOException {
        Files.createDirectory(folder.resolve("conf"));
        Files.writeString(
                folder.resolve("conf/mailetcontainer.xml"),
                """
                <mailet class="SenderWhitelist" match="All"><name>seen</name>
                  <whitelist>file://l.txt</whitelist><sender>from</sender></mailet>
                """);
        String mail = "Return-Path: <x@y.org>\nFrom: alice@example.com";
        Files.writeString(folder.resolve("mail.eml"), mail);
        String[] line = {"check", "--conf", path("conf"), "--as", "seen", "--message"};
        String[] whole = java.util.Arrays.copyOf(line, line.length + 1);
        whole[line.length] = path("mail.eml");
        assertThat(Main.run(out, whole)).as(err()).isZero();
        Files.writeString(folder.resolve("mail.eml"), mail + ", b@y.org\n\n");
        out.reset();
        assertThat(Main.run(out, whole)).isEqualTo(1);
        assertThat(out()).contains("\tambiguous-from\t");
    }
}
