package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.SAM;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.mailet.OneExplanationTest.Drawn;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;

import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.AttributeName;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Nobody is verified for nothing: who may be listed is found out by the filters alone. */
class SenderMayBeWhitelistedTest {
    /** For each of the four ways to choose the sender. */
    private static final int MAILS = 2_500;

    private static final List<String> VERIFIED =
            List.of("org.apache.james.transport.mailets.spf.result", "jDKIM.AUTHRESULT");

    @RegisterExtension final TestServer server = new TestServer(TestServer.living("own"));

    @BeforeEach
    void write() throws IOException {
        server.write("list.txt", OneExplanationTest.LIST);
    }

    private SenderMayBeWhitelisted matcher(String condition) throws MessagingException {
        return server.start(new SenderMayBeWhitelisted(server.shared), condition);
    }

    private static FakeMail mail(String sender, String from, String... headers) throws Exception {
        MimeMessageBuilder message =
                MimeMessageBuilder.mimeMessageBuilder().addHeader("From", from);
        for (String header : headers) {
            message.addHeader("DKIM-Signature", header);
        }
        return TestServer.mail(sender, message.build(), SAM, "ivy@here.example");
    }

    private static void assertMatches(SenderMayBeWhitelisted matcher, Mail mail, boolean expected) {
        assertThat(matcher.match(mail)).isEqualTo(expected ? mail.getRecipients() : List.of());
    }

    @ParameterizedTest
    @TableSource
    void shouldMatchAllRecipientsIfAFilterKnowsEnvelopeOrFrom(
            String sender, String from, boolean expected) throws Exception {
        assertMatches(matcher("file://list.txt"), mail(sender, from), expected);
        assertMatches(matcher("file://list.txt;sender=from"), mail(sender, from), expected);
    }

    /** The null sender is never listed. */
    @Test
    void shouldNotMatchTheNullSender() throws Exception {
        assertMatches(matcher("file://list.txt"), mail("", "alice@example.com"), false);
    }

    /**
     * Mails of which the matcher says "no" are judged without what SPF and DKIM would have said.
     */
    @ParameterizedTest
    @ValueSource(strings = {"envelope", "from", "both", "either"})
    void shouldLeaveEveryVerdictAsItIs(String sender) throws Exception {
        String parameters = ";requireAuthentication=any;sender=" + sender;
        SenderMayBeWhitelisted matcher = matcher("file://list.txt" + parameters);
        SenderIsWhitelisted judge = server.matcher("file://list.txt" + parameters);
        SplittableRandom random = new SplittableRandom(sender.hashCode());
        int unverified = 0;
        int listed = 0;
        for (int i = 0; i < MAILS; i++) {
            Drawn drawn = OneExplanationTest.drawn(random);
            Mail verified = OneExplanationTest.mail(drawn);
            Mail mail = OneExplanationTest.mail(drawn);
            if (!drawn.to().isEmpty() && matcher.match(mail).isEmpty()) {
                VERIFIED.forEach(name -> mail.removeAttribute(AttributeName.of(name)));
                unverified++;
            }
            assertThat(judge.match(mail)).as("%s", drawn).isEqualTo(judge.match(verified));
            assertThat(marks(mail)).as("%s", drawn).isEqualTo(marks(verified));
            listed += marks(mail).contains(" listed listed ") ? 1 : 0;
        }
        assertThat(unverified).isGreaterThan(MAILS / 100);
        assertThat(listed).isGreaterThan(MAILS / 100);
    }

    private static String marks(Mail mail) {
        return TestServer.said(mail) + " " + TestServer.marked(mail, "entry");
    }

    @Test
    void shouldKnowAChangeOfALivingListAtOnce() throws Exception {
        SenderMayBeWhitelisted matcher = matcher("file://list.txt,own");
        Mail mail = mail("x@nowhere.example", "bob@new.example");
        assertMatches(matcher, mail, false);
        server.list("own")
                .put(
                        new Entry(
                                SmallLists.address("bob@new.example").key(), null, Rule.ONLY_LISTS),
                        "test");
        assertMatches(matcher, mail, true);
    }

    /** Figures of a list, such as its rate of false positives, are of verdicts alone. */
    @Test
    void shouldLookNothingUpCountNothingAndMarkNothing() throws Exception {
        SenderMayBeWhitelisted matcher = matcher("file://list.txt");
        ListCounters counters = server.shared.files().values().iterator().next().counters();
        FakeMail mail = mail("alice@example.com", "x@partner.example");
        assertMatches(matcher, mail, true);
        assertMatches(matcher, mail("x@nowhere.example", "x@nowhere.example"), false);
        assertThat(counters.get(Count.LOOKUPS) + counters.get(Count.CACHE_HITS)).isZero();
        assertThat(
                        counters.get(Count.FILTER_NO)
                                + counters.get(Count.FILTER_MAYBE)
                                + counters.get(Count.DOMAIN_MAYBE))
                .isZero();
        assertThat(mail.attributes()).isEmpty();
        assertThat(server.shared.judging()).isEmpty();
    }

    @Test
    void shouldMatchEverybodyWhileItsListsAreNotOpen() throws Exception {
        SenderMayBeWhitelisted matcher = matcher("file://list.txt");
        matcher.destroy();
        assertMatches(matcher, mail("x@nowhere.example", "x@nowhere.example"), true);
    }

    @ParameterizedTest
    @CsvSource({"2, 0, true", "2, 2, true", "2, 3, false", "0, 1, false"})
    void shouldNotMatchMailsWithTooManySignatures(int most, int signatures, boolean expected)
            throws Exception {
        String[] headers = new String[signatures];
        Arrays.fill(headers, "v=1; d=example.com; b=aGk=");
        Mail mail = mail("alice@example.com", "alice@example.com", headers);
        assertMatches(matcher("file://list.txt;maxSignatures=" + most), mail, expected);
        assertMatches(matcher("file://list.txt"), mail, true);
    }

    @Test
    void shouldRefuseParametersOfTheMailet() {
        assertThatThrownBy(() -> matcher("file://list.txt;header=on"))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("unknown parameter 'header'");
        assertThatThrownBy(() -> server.mailet("file://list.txt", "maxSignatures", "5"))
                .hasMessageContaining("unknown parameter 'maxSignatures'");
    }
}
