package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SameHashCode;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;
import io.github.senderwhitelist.mailet.verdict.VerdictHeader;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.lifecycle.api.LifecycleUtil;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.james.server.core.MailImpl;
import org.apache.james.server.core.MimeMessageInputStream;
import org.apache.james.server.core.MimeMessageInputStreamSource;
import org.apache.james.server.core.MimeMessageSource;
import org.apache.james.server.core.MimeMessageWrapper;
import org.apache.mailet.Mail;
import org.apache.mailet.PerRecipientHeaders.Header;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Mails as James has them, with the header of the verdict. */
class VerdictHeadersTest {
    private static final String NAME = "X-Sender-Whitelist";
    private static final String HEAD =
            """
            Received: from somewhere
            Message-ID: <1@example.com>
            From: Alice <alice@example.com>
            Subject: test
            """
                    .replace("\n", "\r\n");
    private static final String BODY = "Hello\r\n\r\nX-Sender-Whitelist: in the body\r\n";
    private static final String FORGED =
            NAME + ": listed; reason=listed; sender=from; confirmed=dkim; by=AAAA\r\n";

    @RegisterExtension
    final TestServer server =
            new TestServer("", VerdictHeadersTest::userOf, new RecordingMetricFactory());

    private final List<MailImpl> mails = new ArrayList<>();
    private final Outbox outbox = server.outbox;
    private @Nullable SenderWhitelist mailet;

    @BeforeEach
    void list() throws IOException {
        server.write(
                "list.txt",
                """
                alice@example.com to=x@a.example
                alice@example.com to=second@a.example
                !bad@example.com
                """);
    }

    @AfterEach
    void dispose() {
        mails.forEach(LifecycleUtil::dispose);
        outbox.sent.forEach(LifecycleUtil::dispose);
    }

    /** The alias leads to x, the first and the second to z; as in James 3.9, + begins a tag. */
    private static @Nullable Address userOf(Address recipient) throws IOException {
        return switch (recipient.toString()) {
            case "alias@a.example" -> SmallLists.address("x@a.example");
            case "first@a.example", "second@a.example" -> SmallLists.address("z@a.example");
            case "w+tag@c.example" -> SmallLists.address("w@c.example");
            case "broken@a.example" -> throw new IOException("no table");
            default -> null;
        };
    }

    private SenderWhitelist mailet(String... parameters) throws MessagingException {
        SenderWhitelist created = server.mailet("file://list.txt", parameters);
        mailet = created;
        return created;
    }

    private MailImpl mail(String text, String... recipients) throws MessagingException {
        return mail(
                MimeMessageInputStreamSource.create(
                        "test", new ByteArrayInputStream(text.getBytes(ISO_8859_1))),
                recipients);
    }

    private MailImpl mail(MimeMessageSource text, String... recipients) throws MessagingException {
        MailImpl mail =
                MailImpl.builder()
                        .name("mail")
                        .sender("alice@example.com")
                        .addRecipients(recipients)
                        .state("root")
                        .build();
        mails.add(mail);
        mail.setMessageNoCopy(new MimeMessageWrapper(text));
        return mail;
    }

    private MailImpl serviced(String text, String... recipients) throws MessagingException {
        MailImpl mail = mail(text, recipients);
        (mailet == null ? mailet("header", "on") : mailet).service(mail);
        return mail;
    }

    private static String text(Mail mail) throws MessagingException, IOException {
        try (InputStream in = new MimeMessageInputStream(mail.getMessage())) {
            return new String(in.readAllBytes(), ISO_8859_1);
        }
    }

    /** Delivers a mail to one recipient, as James' LocalDelivery does, and reads it again. */
    private static MimeMessage delivered(Mail mail, String recipient)
            throws MessagingException, IOException {
        MimeMessage message = mail.getMessage();
        message.setHeader("Return-Path", "<alice@example.com>");
        String[] before = message.getHeader(NAME);
        assertThat(before).isNull();
        for (Header header :
                mail.getPerRecipientSpecificHeaders()
                        .getHeadersForRecipient(new MailAddress(recipient))) {
            message.addHeader(header.getName(), header.getValue());
        }
        String text = text(mail);
        message.removeHeader(NAME);
        return TestServer.message(text.getBytes(ISO_8859_1));
    }

    private static List<String> headers(MimeMessage message) throws MessagingException {
        String[] headers = message.getHeader(NAME);
        return headers == null ? List.of() : List.of(headers);
    }

    private boolean verify(MimeMessage message, String recipient)
            throws MessagingException, IOException {
        Path key = server.folder.resolve("var/whitelist/header.key");
        HeaderSeal seal = HeaderSeal.of(Files.readAllBytes(key));
        return VerdictHeader.proven(message, recipient, seal) != null;
    }

    private static String said(MimeMessage message) throws MessagingException {
        return headers(message).stream().map(h -> h.split("; by=", -1)[0]).toList().toString();
    }

    // The way of the header

    @Test
    void shouldGiveEachRecipientAHeaderThatCanBeVerifiedInTheMailbox() throws Exception {
        Mail mail = serviced(HEAD + "\r\n" + BODY, "x@a.example", "w@c.example");
        MimeMessage forX = delivered(mail, "x@a.example");
        MimeMessage forW = delivered(mail, "w@c.example");

        assertThat(said(forX))
                .isEqualTo("[listed; reason=listed; sender=envelope; confirmed=none]");
        assertThat(said(forW))
                .isEqualTo("[not-listed; reason=stranger; sender=envelope; confirmed=none]");
        assertThat(verify(forX, "x@a.example")).isTrue();
        assertThat(verify(forX, "w@c.example")).as("of another recipient").isFalse();
        assertThat(verify(forW, "w@c.example")).isTrue();
    }

    @Test
    void shouldGiveTheUserOfAnAliasAndOfATagTheirHeader() throws Exception {
        MailImpl mail =
                mail(
                        HEAD + "\r\n" + BODY,
                        "alias@a.example",
                        "w+tag@c.example",
                        "x-tag@b.example",
                        "x_tag@c.example");
        mailet("header", "on", "recipientDelimiter", "-").service(mail);

        MimeMessage forX = delivered(mail, "x@a.example");
        assertThat(said(forX)).startsWith("[listed; reason=listed;");
        assertThat(verify(forX, "x@a.example")).isTrue();
        assertThat(verify(forX, "alias@a.example")).isFalse();
        assertThat(verify(delivered(mail, "alias@a.example"), "alias@a.example")).isTrue();
        for (String user : List.of("w@c.example", "x@b.example")) {
            MimeMessage message = delivered(mail, user);
            assertThat(said(message)).startsWith("[not-listed; reason=stranger;");
            assertThat(verify(message, user)).isTrue();
        }
        assertThat(headers(delivered(mail, "x@c.example"))).isEmpty();
    }

    /** A user who has a mail under two names is told the worse, and its own before both. */
    @ParameterizedTest
    @TableSource
    void shouldGiveAUserOneVerdict(String recipients, String verdict) throws Exception {
        Mail mail = serviced(HEAD + "\r\n" + BODY, recipients.split(" "));

        MimeMessage message = delivered(mail, "z@a.example");
        assertThat(headers(message)).hasSize(1);
        assertThat(said(message)).startsWith("[" + verdict + ";");
    }

    /** Each part of a mail has its own verdict for a user who is in both. */
    @Test
    void shouldReportTheVerdictOfThePart() throws Exception {
        Mail mail = mail(HEAD + "\r\n" + BODY, "first@a.example", "second@a.example");
        mailet("header", "on", "onWhitelisted", "transport").service(mail);

        Mail listed = outbox.sent.getFirst();
        assertThat(said(delivered(listed, "z@a.example"))).startsWith("[listed;");
        assertThat(said(delivered(mail, "z@a.example"))).startsWith("[not-listed;");
    }

    /** James writes question marks for bytes over 127 in headers. */
    @Test
    void shouldVerifyMailsWithoutMessageIdOrWithBytesThatJamesReplaces() throws Exception {
        for (String head :
                List.of(
                        "From: \u00c3\u00bc <alice@example.com>\r\n",
                        "Subject: neither From nor Message-ID\r\n",
                        "From: a@b.c\r\nFrom: d@e.f\r\nMessage-ID:\r\n <1\r\n @x>\r\n")) {
            Mail mail = serviced(head + "\r\n" + BODY, "x@a.example");
            MimeMessage message = delivered(mail, "x@a.example");
            assertThat(verify(message, "x@a.example")).as(head).isTrue();
        }
    }

    @ParameterizedTest
    @TableSource
    void shouldReportWhatConfirmsAllAddressesThatWereAsked(
            String which, String envelope, String known, String confirmed) throws Exception {
        Known all = Known.of(known);
        MailImpl mail = mail(HEAD + all.head() + "\r\n" + BODY, "w@c.example");
        mail.setSender(new MailAddress(envelope));
        all.attributes().forEach(mail::setAttribute);
        mailet("header", "on", "sender", which).service(mail);

        assertThat(said(delivered(mail, "w@c.example")))
                .contains("; sender=" + which + "; confirmed=" + confirmed + "]");
    }

    @Test
    void shouldReplaceTheHeaderOfAnEarlierRound() throws Exception {
        Mail mail = serviced(HEAD + "\r\n" + BODY, "x@a.example");
        mail.addSpecificHeaderForRecipient(
                Header.builder().name("x-sender-whitelist").value("old").build(),
                new MailAddress("x@a.example"));
        mail.addSpecificHeaderForRecipient(
                Header.builder().name("X-Other").value("kept").build(),
                new MailAddress("x@a.example"));
        Objects.requireNonNull(mailet).service(mail);

        MimeMessage message = delivered(mail, "x@a.example");
        assertThat(verify(message, "x@a.example")).isTrue();
        assertThat(message.getHeader("X-Other")).containsExactly("kept");
        assertThat(headers(message)).hasSize(1);
    }

    @Test
    void shouldDoNothingUnlessItIsSwitchedOn() throws Exception {
        MailImpl mail = mail(FORGED + HEAD + "\r\n" + BODY, "x@a.example");
        mailet().service(mail);

        assertThat(text(mail)).isEqualTo(FORGED + HEAD + "\r\n" + BODY);
        assertThat(mail.getPerRecipientSpecificHeaders().getHeadersByRecipient().isEmpty())
                .isTrue();
        assertThat(server.folder.resolve("var/whitelist/header.key")).doesNotExist();
    }

    @Test
    void shouldSealWhatCouldNotBeJudged() throws Exception {
        SenderWhitelist closed = mailet("header", "on");
        closed.destroy();
        MailImpl mail = mail(FORGED + HEAD + "\r\n" + BODY, "x@a.example", "w@c.example");
        closed.service(mail);

        for (String recipient : List.of("x@a.example", "w@c.example")) {
            MimeMessage message = delivered(mail, recipient);
            assertThat(said(message))
                    .isEqualTo(
                            "[unavailable; reason=unavailable; sender=envelope; confirmed=none]");
            assertThat(verify(message, recipient)).isTrue();
        }
    }

    // Forged headers

    @ParameterizedTest
    @TableSource
    void shouldRemoveForgedHeadersAndChangeNothingElse(String forged) throws Exception {
        String lines = forged.replace("\n", "\r\n") + "\r\n";
        String odd = "X-Bytes: \u00c3\u00bc\u0080\r\nX-Sender-Whitelist-2: kept\r\nX-Empty:\r\n";
        for (String head : List.of(lines + HEAD + odd, HEAD + lines + odd, HEAD + odd + lines)) {
            for (String body :
                    List.of("", BODY, "\r\n\r\n", "a\nb\rc\u0000\u00ff", "x".repeat(300_000))) {
                Mail mail = serviced(head + "\r\n" + body, "x@a.example");

                assertThat(text(mail)).isEqualTo(HEAD + odd + "\r\n" + body);
                assertThat(verify(delivered(mail, "x@a.example"), "x@a.example")).isTrue();
            }
        }
    }

    /**
     * James would add Date, Message-ID and MIME-Version, and refuse the broken parts. Without any
     * other header, the body would begin with one.
     */
    @ParameterizedTest
    @TableSource
    void shouldNotMendAMailWhoseForgedHeadersItRemoves(String line) throws Exception {
        String rest = line + "\r\n" + FORGED + "\r\n--other\r\nno such boundary\r\n";
        Mail mail = serviced(FORGED + rest, "x@a.example");

        assertThat(text(mail)).isEqualTo(rest);
        assertThat(headers(mail.getMessage())).isEmpty();
        // Of a copy without any header, James would read the body for one. None comes in so.
        Mail copy = mail.duplicate();
        assertThat(text(copy)).as("as queues copy it").isEqualTo(rest.stripLeading());
        LifecycleUtil.dispose(copy);
        assertThat(verify(delivered(mail, "x@a.example"), "x@a.example")).isTrue();
    }

    @Test
    void shouldNotTouchAMailWithoutForgedHeaders() throws Exception {
        MailImpl mail = mail(HEAD + "\r\n" + BODY, "x@a.example");
        MimeMessageWrapper message = (MimeMessageWrapper) mail.getMessage();
        mailet("header", "on").service(mail);

        assertThat(mail.getMessage()).isSameAs(message);
        assertThat(message.isModified()).isFalse();
        assertThat(text(mail)).isEqualTo(HEAD + "\r\n" + BODY);
    }

    // Failures

    /** A message on a disk that fails from the second time on. */
    private static final class FailingSource implements MimeMessageSource {
        private final byte[] bytes;
        private final int good;
        private int reads;

        FailingSource(String text, int good) {
            this.bytes = text.getBytes(ISO_8859_1);
            this.good = good;
        }

        @Override
        public String getSourceId() {
            return "failing";
        }

        @Override
        public InputStream getInputStream() throws IOException {
            if (reads++ >= good) {
                throw new IOException("the disk fails");
            }
            return new ByteArrayInputStream(bytes);
        }

        @Override
        public long getMessageSize() {
            return bytes.length;
        }
    }

    /** Forged headers are removed in place when the mail can be read once, but not be copied. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldLetAMailGoOnThatCannotBeCopied(int good) throws Exception {
        MailImpl mail = mail(new FailingSource(FORGED + HEAD + "\r\n" + BODY, good), "x@a.example");
        mailet("header", "on", "onWhitelisted", "transport").service(mail);

        assertThat(mail.getState()).isEqualTo("transport");
        assertThat(mail.getRecipients()).hasSize(1);
        assertThat(mail.getPerRecipientSpecificHeaders().getHeadersByRecipient().size())
                .isEqualTo(good);
        if (good > 0) {
            assertThat(headers(mail.getMessage())).isEmpty();
            assertThat(mail.getMessage().getHeader("Subject")).containsExactly("test");
        }
    }

    @ParameterizedTest
    @TableSource
    void shouldLetAMailGoOnWhateverFails(String method) throws Exception {
        for (Throwable failure :
                List.of(
                        new MessagingException("test"),
                        new IllegalStateException("test"),
                        new OutOfMemoryError("test"),
                        new StackOverflowError())) {
            MailImpl real = mail(FORGED + HEAD + "\r\n" + BODY, "x@a.example");
            Mail mail = CarryOnTest.failing(real, Set.of(method), failure);
            mailet("header", "on", "onWhitelisted", "transport").service(mail);

            assertThat(real.getState()).isEqualTo("transport");
            assertThat(real.getRecipients()).hasSize(1);
            if (!method.equals("getMessage")) {
                assertThat(headers(real.getMessage())).as("forged headers").isEmpty();
            }
            Objects.requireNonNull(mailet).destroy();
        }
    }

    // Hostile mails

    private long effort(int recipients, int headers, int length) throws MessagingException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < headers; i++) {
            String name = i % 2 == 0 ? NAME : i % 4 == 1 ? "From" : "Message-ID";
            text.append(name).append(": ").append("a ".repeat(length / 2)).append("\r\n");
        }
        text.append("\r\n").append(BODY);
        String[] to = new String[recipients];
        for (int i = 0; i < recipients; i++) {
            to[i] = "user" + i + "@a.example";
        }
        MailImpl mail = mail(text.toString(), to);
        long before = AllocatedBytes.now();
        Objects.requireNonNull(mailet).service(mail);
        long taken = AllocatedBytes.now() - before;
        assertThat(mail.getPerRecipientSpecificHeaders().getHeadersByRecipient().size())
                .isEqualTo(recipients);
        assertThat(headers(mail.getMessage())).isEmpty();
        LifecycleUtil.dispose(mails.removeLast());
        return taken;
    }

    /** Effort, measured as memory allocated, must not grow with the square of anything. */
    @Test
    void shouldTakeEffortThatGrowsNoFasterThanTheMail() throws Exception {
        mailet("header", "on");
        effort(100, 100, 100);
        long small = effort(1, 1_000, 100) + effort(500, 1, 100) + effort(1, 1, 100_000);
        long twice = effort(1, 2_000, 100) + effort(1_000, 1, 100) + effort(1, 1, 200_000);
        long both = effort(1_000, 2_000, 100);
        assertThat(twice).isLessThan(3 * small);
        assertThat(both).as("a large head and many recipients").isLessThan(2 * twice);
    }

    /** James' map of headers would be slow with many recipients whose hash codes are the same. */
    @ParameterizedTest
    @CsvSource({"9, 512", "10, 0"})
    void headersShouldBeLeftOutWhenThereAreTooManyRecipients(int bits, int headers)
            throws Exception {
        String[] recipients =
                SameHashCode.addresses(bits).stream().map(Key::toString).toArray(String[]::new);
        assertThat(new MailAddress(recipients[0]))
                .hasSameHashCodeAs(new MailAddress(recipients[9]));
        MailImpl mail = mail(HEAD + "\r\n" + BODY, recipients);
        mailet("header", "on", "onNotWhitelisted", "spam").service(mail);

        assertThat(mail.getState()).isEqualTo("spam");
        assertThat(mail.getRecipients()).hasSize(recipients.length);
        assertThat(mail.getPerRecipientSpecificHeaders().getHeadersByRecipient().size())
                .isEqualTo(headers);
    }
}
