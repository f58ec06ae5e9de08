package io.github.senderwhitelist.mailet.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import java.io.IOException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The header of a verdict with its seal, which nobody else can make. */
class HeaderSealTest {
    private static final String BOB = "bob@here.example";
    private static final List<String> ID = List.of("<1@example.com>");
    private static final List<String> ALICE = List.of("Alice <alice@example.com>");
    private static final VerdictHeader LISTED =
            new VerdictHeader("listed", "listed", "from", "spf,dkim");

    private final HeaderSeal seal = HeaderSeal.of(key(0));

    private static byte[] key(int first) {
        byte[] key = new byte[32];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (first + i);
        }
        return key;
    }

    private static MimeMessage mail(List<String> ids, List<String> froms, String... headers)
            throws MessagingException {
        MimeMessage mail = new MimeMessage((Session) null);
        for (String id : ids) {
            mail.addHeader("Message-ID", id);
        }
        for (String from : froms) {
            mail.addHeader("From", from);
        }
        for (String header : headers) {
            mail.addHeader(VerdictHeader.NAME, header);
        }
        return mail;
    }

    private static byte[] fingerprint(List<String> ids, List<String> froms)
            throws MessagingException {
        return VerdictHeader.fingerprint(mail(ids, froms));
    }

    /** Returns the header of alice's mail to a recipient. */
    private String sealed(VerdictHeader header, String recipient) throws MessagingException {
        return header.sealed(fingerprint(ID, ALICE), recipient, seal);
    }

    /** Returns the header that is believed of alice's mail to a recipient, or null. */
    private @Nullable VerdictHeader believed(String recipient, String... headers)
            throws MessagingException {
        return VerdictHeader.proven(mail(ID, ALICE, headers), recipient, seal);
    }

    /** The seals were made by a program in Python from what the javadoc says. */
    @Test
    void sealShouldBeMadeAsTheJavadocSays() throws Exception {
        assertThat(sealed(LISTED, BOB))
                .isEqualTo(
                        "listed; reason=listed; sender=from; confirmed=spf,dkim;"
                                + " by=W6md2pIcRQ7HKiR_AvFBVQ");
        assertThat(
                        new VerdictHeader("not-listed", "stranger", "envelope", "none")
                                .sealed(fingerprint(List.of(), List.of()), BOB, seal))
                .endsWith("; by=W-A47tOUyjkej2zYM7gl7g");
        assertThat(
                        seal.sign(
                                SmallLists.address(BOB),
                                LocalDate.of(2026, 11, 24),
                                "add jürgen@example.com"))
                .isEqualTo("X9my0Cq27l9BwdNYLqggjA");
    }

    @Test
    void headerShouldNotBeBelievedWhenAnythingWasChanged() throws Exception {
        String text = sealed(LISTED, BOB);
        assertThat(believed(BOB, text)).isEqualTo(LISTED);
        for (String forged :
                List.of(
                        text.replaceFirst("listed", "not-listed"),
                        text.replace("reason=listed", "reason=denied"),
                        text.replace("sender=from", "sender=envelope"),
                        text.replace("spf,dkim", "login"),
                        text.replace("by=", "by=A"),
                        text.replace("by=W", "by="),
                        text + "A")) {
            assertThat(believed(BOB, forged)).as(forged).isNull();
        }
        for (String other :
                List.of("eve@here.example", "bob@there.example", "bob+x@here.example")) {
            assertThat(believed(other, text)).as(other).isNull();
        }
        HeaderSeal otherKey = HeaderSeal.of(key(1));
        assertThat(VerdictHeader.proven(mail(ID, ALICE, text), BOB, otherKey)).isNull();
    }

    @Test
    void headerShouldNotBeBelievedOfAnotherMail() throws Exception {
        String text = sealed(LISTED, BOB);
        String id = ID.getFirst();
        String from = ALICE.getFirst();
        for (MimeMessage other :
                List.of(
                        mail(List.of("<2@example.com>"), ALICE, text),
                        mail(List.of(), ALICE, text),
                        mail(List.of(id, id), ALICE, text),
                        mail(ID, List.of("Alice <eve@example.com>"), text),
                        mail(ID, List.of(), text),
                        mail(ID, List.of(from, from), text),
                        mail(ID, List.of(from + ", eve@example.com"), text),
                        mail(List.of(id, from), List.of(), text),
                        mail(List.of(), List.of(id, from), text),
                        mail(List.of(id + from), List.of(""), text))) {
            assertThat(VerdictHeader.proven(other, BOB, seal)).isNull();
        }
    }

    @Test
    void headerShouldBeBelievedOfTheSameRecipientInOtherWords() throws Exception {
        String text = sealed(LISTED, BOB);
        for (String same :
                List.of("BOB@HERE.example", "bob@here.example.", "\"bob\"@here.example")) {
            assertThat(believed(same, text)).as(same).isEqualTo(LISTED);
        }
    }

    @ParameterizedTest
    @TableSource
    void sealShouldBeMadeForStrangeRecipients(String recipient) throws Exception {
        String text = sealed(LISTED, recipient);
        assertThat(believed(recipient, text)).isEqualTo(LISTED);
        assertThat(believed(recipient + "x", text)).isNull();
    }

    /** Mail servers fold headers, and James writes question marks for bytes over 127. */
    @ParameterizedTest
    @TableSource
    void fingerprintShouldStayWhenHeadersAreFoldedOrLoseBytes(String head, boolean same)
            throws Exception {
        String mail = "From: J\u00f6rg\t<j@example.com>\r\nMessage-ID: <1@x>\r\n\r\n";
        byte[] other = VerdictHeader.fingerprint(TestServer.message(head + "\r\n\r\nHello\r\n"));
        assertThat(Arrays.equals(other, VerdictHeader.fingerprint(TestServer.message(mail))))
                .isEqualTo(same);
    }

    /** Headers of a mail are also read by programs that decode UTF-8. */
    @Test
    void fingerprintShouldStayHoweverBytesAreDecoded() throws Exception {
        String unicode = "J\u00f6rg \u4f60 <j@example.com>";
        String octets = new String(unicode.getBytes(UTF_8), ISO_8859_1);
        assertThat(fingerprint(List.of(), List.of(octets)))
                .isEqualTo(fingerprint(List.of(), List.of(unicode)));
    }

    @Test
    void headerShouldBeReadAsItWasWritten() throws Exception {
        Set<String> printed = new HashSet<>();
        for (Reason reason : Reason.values()) {
            for (SenderIdentity sender : SenderIdentity.values()) {
                for (Set<Confirmation> confirmed :
                        List.of(
                                Set.<Confirmation>of(),
                                EnumSet.of(Confirmation.LOGIN),
                                EnumSet.of(Confirmation.SPF, Confirmation.DKIM))) {
                    VerdictHeader header =
                            VerdictHeader.of(new NotListed(reason, null), sender, confirmed);
                    String text = sealed(header, BOB);
                    printed.add(text);
                    assertThat(believed(BOB, text.replace("; ", ";\r\n\t "), text))
                            .as("folded, and doubled by James' queue in memory")
                            .isEqualTo(header);
                }
            }
        }
        assertThat(printed)
                .hasSize(Reason.values().length * SenderIdentity.values().length * 3)
                .allMatch(text -> text.length() < 150);
        assertThat(
                        VerdictHeader.of(
                                new Unavailable(new IOException("x")),
                                SenderIdentity.EITHER,
                                EnumSet.of(Confirmation.DKIM, Confirmation.SPF)))
                .isEqualTo(new VerdictHeader("unavailable", "unavailable", "either", "spf,dkim"));
    }

    /** Each has the right seal where it has AA. */
    @ParameterizedTest
    @TableSource
    void headerShouldBeOfNoOtherForm(String text) throws Exception {
        String right = sealed(new VerdictHeader("listed", "listed", "from", "none"), BOB);
        String by = right.substring(right.indexOf("by=") + 3);
        assertThat(believed(BOB, text.replace("AA", by))).isNull();
        assertThat(believed(BOB, right, text.replace("AA", by))).as("beside it").isNull();
    }

    @Test
    void headerShouldBeReadInTimeInProportionToItsLength() throws Exception {
        assertThat(believed(BOB, sealed(LISTED, BOB) + " ".repeat(1_000_000))).isEqualTo(LISTED);
        assertThat(believed(BOB, "a;".repeat(1_000_000))).isNull();
    }
}
