package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Tests what is taken off senders. The addresses of the Sender Rewriting Scheme were written by
 * Mail::SRS 0.31 with the secrets "tops3cr3t" (ours) and "other", on 2027-01-01.
 */
class UnwrappingTest {
    private static final Instant THEN = Instant.parse("2027-01-01T05:00:00Z");
    private static final List<String> OURS = List.of("yesterday's", "tops3cr3t");

    private static String unwrap(String forms, String written, Instant now) {
        Address address = SmallLists.address(written);
        Address sender =
                new Unwrapping(
                                Unwrapping.VALUES.parse(forms).orElseThrow(),
                                forms.contains("srs") ? OURS : List.of())
                        .unwrap(address, now);
        return sender.equals(address) ? "-" : sender.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "prvs=0123ABCDEF=Alice@example.com, alice@example.com",
        "prvs=9999ffffff=alice+news@example.com, alice+news@example.com",
        "prvs=0123abcde=alice@example.com, -",
        "prvs=0123abcdeg=alice@example.com, -",
        "prvs=012xabcdef=alice@example.com, -",
        "prvs=0123abcdef=@example.com, -",
        "prvs=0123abcdef@example.com, -",
        "xprvs=0123abcdef=alice@example.com, -",
        "prvs=0123abcdef=prvs=0123abcdef=alice@example.com, prvs=0123abcdef=alice@example.com",
        "prvs=Alice=0123ABCDEF@example.com, alice@example.com",
        "prvs=a=b+c=0123abcdef@example.com, a=b+c@example.com",
        "prvs=alice=0123abcde@example.com, -",
        "prvs==0123abcdef@example.com, -",
        "btv1==760cdc7c545==Julian@example.com, julian@example.com",
        "btv1==760cdc7c545==a=b@example.com, a=b@example.com",
        "btv1==760cdc7c54==alice@example.com, -",
        "btv1==76ccdc7c545==alice@example.com, -",
        "btv1==760cdc7c545=alice@example.com, -",
        "btv1=760cdc7c545==alice@example.com, -",
        "btv1==alice==760cdc7c545@example.com, -",
        "msprvs1=20192PA_4BrJs=bounces-56831-18@example.com, bounces-56831-18@example.com",
        "msprvs1=17663n-qlmi2D=bounces-27637@example.com, bounces-27637@example.com",
        "msprvs1=20192PA_4BrJ=alice@example.com, -",
        "msprvs1=x0192PA_4BrJs=alice@example.com, -",
        "msprvs1=alice=20192PA_4BrJs@example.com, -",
        // Either part may be the tag: whoever it is, nobody else is taken for the sender.
        "prvs=0123abcdef=4567abcdef@example.com, -",
        "prvs=0123abcdef=alice=4567abcdef@example.com, -",
    })
    void shouldTakeOffBatvTags(String written, String sender) {
        assertThat(unwrap("batv", written, THEN)).isEqualTo(sender);
    }

    @ParameterizedTest
    @CsvSource({
        "news+bob=here.example@lists.example, news@lists.example",
        "news-4711-bob=here.example@lists.example, news@lists.example",
        "owner-news-bob.smith=here.example@lists.example, owner-news@lists.example",
        "bounce+a-b+bob-x=here.example@lists.example, bounce@lists.example",
        "bounces-bob=sub.here.example@em.lists.example, bounces@em.lists.example",
        "bob=here.example@lists.example, -",
        "-bob=here.example@lists.example, -",
        "news+=here.example@lists.example, -",
        "news+bob=here@lists.example, -",
        "news+bob=here..example@lists.example, -",
        "news+bob=@lists.example, -",
        "news+bob@lists.example, -",
        "-1-bob=here.example@lists.example, -",
        "'\"news +bob=here.example\"@lists.example', -",
        // Forwarders name recipients, too.
        "sam+caf_=bob=here.example@lists.example, -",
        "sam+SRS=44ldt=IX=orig.example=bob.smith@lists.example, -",
        "SRS0-x=KT=orig.example=bob.smith@lists.example, -",
    })
    void shouldTakeOffRecipients(String written, String sender) {
        assertThat(unwrap("verp", written, THEN)).isEqualTo(sender);
    }

    @ParameterizedTest
    @CsvSource({
        "SRS0=DGbK=KT=orig.example=alice@fwd.ours.example, alice@orig.example",
        "srs0=dgbk=kt=orig.example=alice@fwd.ours.example, alice@orig.example",
        "SRS0=GuQd=KT=Orig.Example=Alice.B+news@fwd.ours.example, alice.b+news@orig.example",
        "SRS0=eAM3=KT=x.example=a=b@fwd.ours.example, a=b@x.example",
        "SRS0+DGbKfPs4=KT=orig.example=alice@fwd.ours.example, alice@orig.example",
        "SRS0-DGbKf=KT=orig.example=alice@anywhere.example, alice@orig.example",
        "SRS1=rTSe=fwd.ours.example==DGbK=KT=orig.example=alice@second.ours.example,"
                + " alice@orig.example",
        // Another sender, host, day or hash than the one that was signed.
        "SRS0=DGbK=KT=orig.example=alicia@fwd.ours.example, -",
        "SRS0=DGbK=KT=orig.exampl=alice@fwd.ours.example, -",
        "SRS0=DGbK=KU=orig.example=alice@fwd.ours.example, -",
        "SRS0=DGbL=KT=orig.example=alice@fwd.ours.example, -",
        "SRS0=DGbKfPs5=KT=orig.example=alice@fwd.ours.example, -",
        // Too short, or too long, to be a hash.
        "SRS0=DGb=KT=orig.example=alice@fwd.ours.example, -",
        "SRS0==KT=orig.example=alice@fwd.ours.example, -",
        // Written by somebody else.
        "SRS0=aIDK=KT=orig.example=alice@foreign.example, -",
        "SRS1=gEY4=foreign.example==aIDK=KT=orig.example=alice@second.ours.example, -",
        "SRS1=pa/j=fwd.ours.example==DGbK=KT=orig.example=alice@foreign.example, -",
        "SRS1=xxxx=fwd.ours.example==DGbK=KT=orig.example=alice@second.ours.example, -",
        "SRS0=DGbK=orig.example=alice@fwd.ours.example, -",
        "SRS0=DGbK=K1=orig.example=alice@fwd.ours.example, -",
        "alice@fwd.ours.example, -",
    })
    void shouldRestoreOnlyWhatOurForwardersWrote(String written, String sender) {
        assertThat(unwrap("srs", written, THEN)).isEqualTo(sender);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-12-31T23:59:59Z, -",
        "2027-01-01T00:00:00Z, alice@orig.example",
        "2027-01-22T23:59:59Z, alice@orig.example",
        "2027-01-23T00:00:00Z, -",
        // 1,024 days later the timestamp is the same again.
        "2029-10-21T00:00:00Z, alice@orig.example",
        "2029-10-20T23:59:59Z, -",
    })
    void shouldBelieveItFor21Days(Instant now, String sender) {
        String written = "SRS0=DGbK=KT=orig.example=alice@fwd.ours.example";
        assertThat(unwrap("srs", written, now)).isEqualTo(sender);
    }

    @ParameterizedTest
    @CsvSource({
        "prvs=0123abcdef=news+bob=here.example@lists.example, news@lists.example",
        "prvs=0123abcdef=SRS0=DGbK=KT=orig.example=alice@fwd.ours.example, alice@orig.example",
        "SRS0=mV72=KT=example.com=prvs=0123abcdef=alice@forwarder.example, alice@example.com",
    })
    void shouldTakeOffOneOfEach(String written, String sender) {
        assertThat(unwrap("batv, srs,verp", written, THEN)).isEqualTo(sender);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prvs=0123abcdef=a@b.example", "news+bob=here.example@lists.example"})
    void shouldTakeOffNothingUnlessAsked(String written) {
        assertThat(unwrap("srs", written, THEN)).isEqualTo("-");
        assertThat(unwrap("none", written, THEN)).isEqualTo("-");
    }

    @Test
    void shouldNeedSecretsExactlyForSrs() {
        Set<Unwrapping.Form> srs = Set.of(Unwrapping.Form.SRS);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Unwrapping(srs, List.of("", " ")))
                .withMessage(
                        "unwrap has srs, but srsSecret has no secret; allowed: both or neither");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Unwrapping(Set.of(), List.of("tops3cr3t")))
                .withMessage("srsSecret is given, but unwrap has no srs; allowed: both or neither");
        Address written = SmallLists.address("SRS0=DGbK=KT=orig.example=alice@fwd.ours.example");
        assertThat(
                        new Unwrapping(srs, List.of("another", "", "  tops3cr3t \t"))
                                .unwrap(written, Instant.parse("2027-01-02T00:00:00Z")))
                .hasToString("alice@orig.example");
    }
}
