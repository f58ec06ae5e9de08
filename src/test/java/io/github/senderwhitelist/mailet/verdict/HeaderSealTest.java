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
import io.github.senderwhitelist.mailet.settings.HeaderKey;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import java.io.IOException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

class HeaderSealTest {
    private static final String BOB = "bob@here.example";
    private static final byte[] MAIL =
            fingerprint(List.of("<1@example.com>"), List.of("Alice <alice@example.com>"));
    private static final VerdictHeader LISTED =
            new VerdictHeader("listed", "listed", "from", "spf,dkim", "");

    private final HeaderSeal seal = new HeaderSeal(HeaderKey.of(key(0)));

    private static byte[] fingerprint(List<String> messageIds, List<String> froms) {
        try {
            MimeMessage mail = new MimeMessage((Session) null);
            for (String id : messageIds) {
                mail.addHeader("Message-ID", id);
            }
            for (String from : froms) {
                mail.addHeader("From", from);
            }
            return HeaderSeal.fingerprint(mail);
        } catch (MessagingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static VerdictHeader sealed(VerdictHeader header, String by) {
        return new VerdictHeader(
                header.verdict(), header.reason(), header.sender(), header.confirmed(), by);
    }

    private static byte[] key(int first) {
        byte[] key = new byte[32];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (first + i);
        }
        return key;
    }

    /** The seals were made by a program in Python from what the javadoc says. */
    @Test
    void sealShouldBeMadeAsTheJavadocSays() {
        assertThat(seal.sign(LISTED, MAIL, BOB)).isEqualTo("W6md2pIcRQ7HKiR_AvFBVQ");
        assertThat(
                        seal.sign(
                                new VerdictHeader("not-listed", "stranger", "envelope", "none", ""),
                                fingerprint(List.of(), List.of()),
                                BOB))
                .isEqualTo("W-A47tOUyjkej2zYM7gl7g");
        assertThat(
                        seal.sign(
                                SmallLists.address(BOB),
                                LocalDate.of(2026, 11, 24),
                                "add jürgen@example.com"))
                .isEqualTo("X9my0Cq27l9BwdNYLqggjA");
    }

    private boolean verify(VerdictHeader header, byte[] mail, String recipient) {
        return seal.verify(header, mail, recipient);
    }

    @Test
    void verifyShouldFailWhenAnythingWasChanged() {
        String by = seal.sign(LISTED, MAIL, BOB);
        VerdictHeader sealed = sealed(LISTED, by);
        assertThat(verify(sealed, MAIL, BOB)).isTrue();

        for (VerdictHeader forged :
                List.of(
                        new VerdictHeader("not-listed", "listed", "from", "spf,dkim", by),
                        new VerdictHeader("listed", "denied", "from", "spf,dkim", by),
                        new VerdictHeader("listed", "listed", "envelope", "spf,dkim", by),
                        new VerdictHeader("listed", "listed", "from", "login", by),
                        new VerdictHeader("listed", "listedfrom", "", "spf,dkim", by),
                        sealed(LISTED, ""),
                        sealed(LISTED, by.substring(1)),
                        sealed(LISTED, by + "A"),
                        sealed(LISTED, "A" + by.substring(1)))) {
            assertThat(verify(forged, MAIL, BOB)).as("%s", forged).isFalse();
        }
        for (String other :
                List.of("eve@here.example", "bob@there.example", "bob+x@here.example")) {
            assertThat(verify(sealed, MAIL, other)).as(other).isFalse();
        }
        assertThat(new HeaderSeal(HeaderKey.of(key(1))).verify(sealed, MAIL, BOB)).isFalse();
    }

    @Test
    void verifyShouldFailWhenTheHeaderIsOfAnotherMail() {
        VerdictHeader sealed = sealed(LISTED, seal.sign(LISTED, MAIL, BOB));
        String id = "<1@example.com>";
        String from = "Alice <alice@example.com>";
        for (byte[] other :
                List.of(
                        fingerprint(List.of("<2@example.com>"), List.of(from)),
                        fingerprint(List.of(), List.of(from)),
                        fingerprint(List.of(id, id), List.of(from)),
                        fingerprint(List.of(id), List.of("Alice <eve@example.com>")),
                        fingerprint(List.of(id), List.of()),
                        fingerprint(List.of(id), List.of(from, from)),
                        fingerprint(List.of(id), List.of(from + ", eve@example.com")),
                        fingerprint(List.of(id, from), List.of()),
                        fingerprint(List.of(), List.of(id, from)),
                        fingerprint(List.of(id + from), List.of("")))) {
            assertThat(verify(sealed, other, BOB)).isFalse();
        }
    }

    @Test
    void verifyShouldTakeTheSameRecipientInOtherWords() {
        String by = seal.sign(LISTED, MAIL, BOB);
        for (String same :
                List.of("BOB@HERE.example", "bob@here.example.", "\"bob\"@here.example")) {
            assertThat(verify(sealed(LISTED, by), MAIL, same)).as(same).isTrue();
        }
    }

    @ParameterizedTest
    @TableSource
    void sealShouldBeMadeForStrangeRecipients(String recipient) {
        String by = seal.sign(LISTED, MAIL, recipient);
        assertThat(verify(sealed(LISTED, by), MAIL, recipient)).isTrue();
        assertThat(verify(sealed(LISTED, by), MAIL, recipient + "x")).isFalse();
    }

    private static byte[] ofMail(String head) throws MessagingException {
        return HeaderSeal.fingerprint(TestServer.message(head + "\r\n\r\nHello\r\n"));
    }

    private static boolean isSame(String head, String other) throws MessagingException {
        return Arrays.equals(ofMail(head), ofMail(other));
    }

    @Test
    void fingerprintShouldStayWhenHeadersAreFoldedOrLoseBytes() throws Exception {
        String mail = "From: J\u00f6rg\t<j@example.com>\r\nMessage-ID: <1@x>";
        assertThat(isSame(mail, "Message-Id:  <1@x> \r\nFROM: J\u00f6rg\r\n <j@example.com>"))
                .isTrue();
        assertThat(isSame(mail, "From: J?rg <j@example.com>\r\nMessage-ID:\r\n <1@x>")).isTrue();
        assertThat(isSame(mail, "From: J??rg <j@example.com>\r\nMessage-ID: <1@x>")).isTrue();
        assertThat(isSame(mail, "From: Jrg <j@example.com>\r\nMessage-ID: <1@x>")).isFalse();
        assertThat(isSame(mail, "From: J?rg<j@example.com>\r\nMessage-ID: <1@x>")).isFalse();
        assertThat(isSame(mail, "From: J?rg <jj@example.com>\r\nMessage-ID: <1@x>")).isFalse();
        assertThat(isSame(mail, "From: J?rg <j@example.com>\r\nMessage-ID: <1@x> x")).isFalse();
    }

    /** Headers of a mail are also read by programs that decode UTF-8. */
    @Test
    void fingerprintShouldStayHoweverBytesAreDecoded() {
        String unicode = "J\u00f6rg \u4f60 <j@example.com>";
        String octets = new String(unicode.getBytes(UTF_8), ISO_8859_1);
        assertThat(fingerprint(List.of(), List.of(octets)))
                .isEqualTo(fingerprint(List.of(), List.of(unicode)));
    }

    @Test
    void parseShouldReadWhatWasPrinted() {
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
                    VerdictHeader sealed = sealed(header, seal.sign(header, MAIL, BOB));
                    String text = header.print(sealed.by());
                    printed.add(text);
                    String folded = text.replace("; ", ";\r\n\t ");
                    assertThat(VerdictHeader.parse(List.of(folded, text))).isEqualTo(sealed);
                }
            }
        }
        assertThat(printed)
                .hasSize(Reason.values().length * SenderIdentity.values().length * 3)
                .allMatch(text -> text.length() < 130);
    }

    @Test
    void printShouldNameVerdictReasonAndConfirmation() {
        assertThat(
                        VerdictHeader.of(
                                        new Unavailable(new IOException("x")),
                                        SenderIdentity.EITHER,
                                        EnumSet.of(Confirmation.DKIM, Confirmation.SPF))
                                .print("AA"))
                .isEqualTo(
                        "unavailable; reason=unavailable; sender=either; confirmed=spf,dkim;"
                                + " by=AA");
    }

    @ParameterizedTest
    @TableSource
    void parseShouldReadNoOtherText(String text) {
        assertThat(VerdictHeader.parse(List.of(text))).isNull();
    }

    @Test
    void parseShouldReadNoneOfSeveralThatDiffer() {
        String text = "listed; reason=listed; sender=from; confirmed=none; by=AA";
        assertThat(VerdictHeader.parse(List.of(text, text))).isNotNull();
        assertThat(VerdictHeader.parse(List.of(text, text + "A"))).isNull();
        assertThat(VerdictHeader.parse(List.of(text, "listed"))).isNull();
        assertThat(VerdictHeader.parse(List.of(text + " ".repeat(1_000_000)))).isNotNull();
        assertThat(VerdictHeader.parse(List.of("a;".repeat(1_000_000)))).isNull();
    }
}
