package io.github.senderwhitelist.mailet.mail;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.mailet.SenderCheck;
import io.github.senderwhitelist.mailet.TestFiles;
import io.github.senderwhitelist.mailet.TestLists;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

class MailAuthenticationTest {
    private static final int LONG = 200_000;
    private static final String ALICE = "alice@example.com";
    private static final String SIGNED = "pass (identity @example.com)";
    private static final String SIGNATURE = "v=1; a=rsa-sha256; d=example.com; b=aGVsbG8=";

    @TempDir Path folder;
    private final List<String> read = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();

    /** A message as a server has received it, which remembers what is read of it. */
    private final class Received extends MimeMessage {
        Received(InputStream in) throws MessagingException {
            super((Session) null, in);
        }

        @Override
        public String[] getHeader(String name) throws MessagingException {
            read.add(name);
            return super.getHeader(name);
        }

        @Override
        public Enumeration<String> getMatchingHeaderLines(String[] names)
                throws MessagingException {
            read.addAll(Arrays.asList(names));
            return super.getMatchingHeaderLines(names);
        }
    }

    private FakeMail mail(String result, List<String> signatures) throws MessagingException {
        StringBuilder head = new StringBuilder("From: alice@example.com\r\n");
        signatures.forEach(each -> head.append("DKIM-Signature: ").append(each).append("\r\n"));
        byte[] bytes = (head + "\r\nHello\r\n").getBytes(StandardCharsets.UTF_8);
        FakeMail mail = TestServer.mail(ALICE, new Received(new ByteArrayInputStream(bytes)));
        mail.setAttribute(new Attribute(MailAuthentication.DKIM_RESULT, AttributeValue.of(result)));
        return mail;
    }

    private boolean isLocal(String domain) {
        asked.add(domain);
        return domain.equals("here.example");
    }

    private boolean isSigned(Mail mail, String sender) {
        Address address = (Address) AddressSyntax.parse(sender);
        return new MailAuthentication(mail, this::isLocal).meets(AuthRequirement.DKIM, address);
    }

    /**
     * The signer of evil.com writes an identity that looks like another one of paypal.com in the
     * line of text that James makes of all; white space in it means nothing to James.
     */
    @ParameterizedTest
    @TableSource
    void shouldNotTakeOneIdentityForTwo(String identity) throws Exception {
        String result = "pass (identity a@paypal.com) (identity x@evil.com)";
        for (String signature :
                List.of(
                        "v=1; d=evil.com;" + identity + "; b=x",
                        "v=1; d=evil.com; b=x;" + identity,
                        identity + "; v=1; d=evil.com; b=x")) {
            Mail mail = mail(result, List.of(SIGNATURE, signature));

            assertThat(isSigned(mail, "a@paypal.com")).as(signature).isFalse();
            assertThat(isSigned(mail, "x@evil.com")).as(signature).isFalse();
        }
        assertThat(isSigned(mail(result, List.of(SIGNATURE)), "a@paypal.com")).isTrue();
    }

    /** Signatures are folded where there is room. */
    @ParameterizedTest
    @TableSource
    void shouldBelieveAFoldedPlainIdentity(String tag) throws Exception {
        assertThat(isSigned(mail(SIGNED, List.of(SIGNATURE + "; " + tag)), "alice@example.com"))
                .isTrue();
    }

    @ParameterizedTest
    @TableSource
    void shouldReadTheLineThatJamesWrites(String result, boolean confirmed) throws Exception {
        assertThat(isSigned(mail(result, List.of(SIGNATURE)), "alice@example.com"))
                .isEqualTo(confirmed);
    }

    /** Each tenant chooses the domain before the hoster's, and signs with it what it likes. */
    @ParameterizedTest
    @TableSource
    void shouldTakeTenantsOfAHosterForOrganisationsOfTheirOwn(
            String signer, String sender, boolean confirmed) throws Exception {
        Mail mail =
                mail(
                        "pass (identity @" + signer + ")",
                        List.of(SIGNATURE.replace("example.com", signer)));
        assertThat(isSigned(mail, "bob@" + sender)).isEqualTo(confirmed);
    }

    @Test
    void shouldTakeAMailWithTooManyOrTooLongSignaturesForUnsigned() throws Exception {
        String half = SIGNATURE + "; z=" + "a".repeat(49_900);
        assertIsSigned(true, SIGNED, Collections.nCopies(50, SIGNATURE));
        assertIsSigned(false, SIGNED, Collections.nCopies(51, SIGNATURE));
        assertIsSigned(true, SIGNED, List.of(half, half));
        assertIsSigned(false, SIGNED, List.of(half, half + "a".repeat(300)));
        assertIsSigned(false, SIGNED, List.of("z=" + "a".repeat(2_000_000)));
        String identity = " (identity @example.com)";
        assertIsSigned(true, "pass" + identity.repeat(50), List.of(SIGNATURE));
        assertIsSigned(false, "pass" + identity.repeat(51), List.of(SIGNATURE));
        String longIdentity = " (identity " + "a".repeat(100_000) + "@example.com)";
        assertIsSigned(false, SIGNED + longIdentity, List.of(SIGNATURE));
    }

    private void assertIsSigned(boolean expected, String result, List<String> signatures)
            throws MessagingException {
        assertThat(isSigned(mail(result, signatures), "a@example.com")).isEqualTo(expected);
    }

    /** Of a megabyte each; a sender has written them. */
    @ParameterizedTest
    @TableSource
    void shouldReadSignaturesOfAnyLengthWithoutRecursion(String begin, String repeated)
            throws Exception {
        String signature = begin + repeated.repeat(99_000 / repeated.length());
        assertThat(isSigned(mail(SIGNED, List.of(signature + ";")), "a@b.example")).isFalse();
        String huge = begin + repeated.repeat(1_000_000 / repeated.length());
        assertThat(isSigned(mail(SIGNED, List.of(huge + ";")), "a@example.com")).isFalse();
        for (String identity : List.of(" (identity a@b.c)", " (identity ", "@", "a@", "(")) {
            String result = "pass (identity a@b.c)" + identity.repeat(99_000 / identity.length());
            assertThat(isSigned(mail(result, List.of(SIGNATURE)), "a@b.c")).isFalse();
            String one = "pass (identity " + identity.repeat(9_000) + "@b.c)";
            assertThat(isSigned(mail(one, List.of(SIGNATURE)), "a@example.com")).isFalse();
        }
    }

    @Test
    void shouldReadAMailOnceForAllRecipientsRulesAndIdentities() throws Exception {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            list.append("alice@example.com auth=dkim to=x").append(i).append("@here.example\n");
            list.append("alice@example.com auth=spf to=x").append(i).append("@here.example\n");
        }
        Files.writeString(folder.resolve("list.txt"), list);
        SenderCheck check = new SenderCheck("test", TestLists.none());
        check.open(
                new Parameters(
                        "test",
                        Map.of("whitelist", "file://list.txt", "sender", "both"),
                        new TestFiles(folder)),
                this::isLocal);
        FakeMail mail = mail("pass (identity @elsewhere.example)", List.of(SIGNATURE));
        mail.setAttribute(
                new Attribute(MailAuthentication.AUTHORIZED_NETWORK, AttributeValue.of(true)));
        List<MailAddress> recipients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            recipients.add(new MailAddress("x" + i + "@here.example"));
        }
        mail.setRecipients(recipients);
        MailVerdicts verdicts = check.judge(mail);
        check.close();

        assertThat(verdicts.listed()).isNull();
        assertThat(verdicts.whole().each()).hasSize(20);
        assertThat(verdicts.whole().verdict().reason().label()).isEqualTo("unauthenticated");
        assertThat(read).containsExactlyInAnyOrder("From", "DKIM-Signature");
        assertThat(asked).containsExactly("example.com");
    }

    @Test
    void shouldReadNothingThatNoEntryAsksFor() throws Exception {
        FakeMail mail = mail(SIGNED, List.of(SIGNATURE));
        MailAuthentication authentication = new MailAuthentication(mail, this::isLocal);
        Address alice = (Address) AddressSyntax.parse("alice@example.com");

        assertThat(authentication.meets(AuthRequirement.NONE, alice)).isTrue();
        assertThat(read).isEmpty();
        assertThat(authentication.meets(AuthRequirement.ANY, alice)).isTrue();
        assertThat(asked).as("nobody has logged in").isEmpty();
    }

    @Test
    void shouldConfirmNobodyWhenJamesCannotTellItsDomains() throws Exception {
        FakeMail mail = mail("neutral (no signatures)", List.of());
        mail.setAttribute(new Attribute(Mail.SMTP_AUTH_USER, AttributeValue.of("sam")));
        Address sam = (Address) AddressSyntax.parse("sam@here.example");

        assertThat(new MailAuthentication(mail, this::isLocal).meets(AuthRequirement.ANY, sam))
                .isTrue();
        assertThat(
                        new MailAuthentication(
                                        mail,
                                        domain -> {
                                            throw new IllegalStateException("no database");
                                        })
                                .meets(AuthRequirement.ANY, sam))
                .isFalse();
    }

    // The header From:

    /** Returns the mailbox of a mail that a server has received with this header. */
    private static @Nullable String mailbox(String from) throws MessagingException {
        MimeMessage message =
                TestServer.message("Subject: x\r\nFrom: " + from + "\r\n\r\nHello\r\n");
        Address mailbox = MailAuthentication.mailbox(message);
        return mailbox == null ? null : mailbox.toString();
    }

    @ParameterizedTest(name = "{0}")
    @TableSource
    void longHeaderShouldBeReadWithoutRecursion(
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
