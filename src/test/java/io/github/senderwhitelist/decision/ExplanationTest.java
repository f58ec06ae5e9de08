package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Explanations, step by step, and what confirms a mail that people describe. */
class ExplanationTest {
    @TempDir Path folder;
    private final List<SenderList> lists = new ArrayList<>();
    private Unwrapping unwrapping = Unwrapping.NONE;
    private RecipientUsers users = RecipientUsers.NONE;

    private void list(String... lines) throws IOException {
        Generation generation =
                Generation.exact(SmallLists.snapshot(folder, SmallLists.TIGHT, lines), 0);
        lists.add(() -> generation);
    }

    private Decision decide(SenderIdentity identity, String sender, String from, String to) {
        List<String> recipients = to.isEmpty() ? List.of() : List.of(to.split(",", -1));
        return decide(identity, MailFacts.parse(sender, from, recipients, "spf", d -> false));
    }

    private Decision decide(SenderIdentity identity, MailFacts mail) {
        Policy policy =
                new Policy(
                        Subaddressing.DEFAULT,
                        unwrapping,
                        AuthRequirement.NONE,
                        InstantSource.system(),
                        Subaddressing.DEFAULT,
                        users,
                        identity,
                        true,
                        "here.example"::equals);
        return new Whitelist(lists, policy).decide(mail, true);
    }

    private void assertSteps(String expected, String envelope, String to) {
        assertSteps(expected, SenderIdentity.ENVELOPE, envelope, envelope, to);
    }

    private void assertSteps(
            String expected, SenderIdentity identity, String sender, String from, String to) {
        String steps = String.join("\n", decide(identity, sender, from, to).steps());
        assertThat(steps.replaceAll(" from [0-9a-f]+(?=\n|$)", " from SUM") + "\n")
                .isEqualTo(expected);
    }

    @Test
    void shouldExplainConditionsAndRecipients() throws IOException {
        list(
                "dave@example.com to=me@here.example",
                "!dave@example.com to=you@here.example",
                "@.example.com until=2020-01-01",
                "eve@example.com",
                "eve@example.com to=me@here.example");
        assertSteps(
                """
                asked: 2 addresses, 1 domains, 3 for some recipients, built at an unrecorded time from SUM
                dave@example.com: entries for some recipients
                dave@example.com to=me@here.example: entry dave@example.com to=me@here.example
                dave@example.com to=me@here.example, for me@here.example: listed
                dave@example.com to=you@here.example: entry !dave@example.com to=you@here.example
                !dave@example.com to=you@here.example, for you@here.example: denied
                dave@example.com to=other@here.example: no entry
                @example.com: no entry
                @.com: no entry
                verdict for me@here.example: listed
                verdict for you@here.example: not listed, denied
                verdict for other@here.example: not listed, stranger (no entry for this address, its domain or a parent domain)
                """,
                "dave@example.com",
                "me@here.example,you@here.example,other@here.example");
        assertSteps(
                """
                asked: 2 addresses, 1 domains, 3 for some recipients, built at an unrecorded time from SUM
                eve@example.com: entry eve@example.com, and entries for some recipients
                eve@example.com: listed
                verdict: listed
                """,
                "eve@example.com",
                "");
        assertSteps(
                """
                asked: 2 addresses, 1 domains, 3 for some recipients, built at an unrecorded time from SUM
                x@mail.example.com: no entry
                @mail.example.com: no entry
                @.example.com: entry @.example.com until=2020-01-01
                @.example.com until=2020-01-01: expired
                @.com: no entry
                verdict: not listed, expired
                """,
                SenderIdentity.ENVELOPE,
                "x@mail.example.com",
                "eve@example.com",
                "");
    }

    @Test
    void shouldExplainSeveralListsAndBothAddresses() throws IOException {
        list("alice@example.com", "bob@example.com auth=dkim");
        list("@partner.example");
        assertSteps(
                """
                the envelope sender bob@example.com:
                list 1: asked: 2 addresses, 0 domains, built at an unrecorded time from SUM
                list 2: asked: 0 addresses, 1 domains, built at an unrecorded time from SUM
                list 1: bob@example.com: entry bob@example.com auth=dkim
                list 2: bob@example.com: no entry
                bob@example.com auth=dkim: unauthenticated
                list 1: @example.com: no entry
                list 2: @example.com: no entry
                list 1: @.com: no entry
                list 2: @.com: no entry
                verdict: not listed, unauthenticated
                the header From: news@partner.example:
                list 1: asked: 2 addresses, 0 domains, built at an unrecorded time from SUM
                list 2: asked: 0 addresses, 1 domains, built at an unrecorded time from SUM
                list 1: news@partner.example: no entry
                list 2: news@partner.example: no entry
                list 1: @partner.example: no entry
                list 2: @partner.example: entry @partner.example
                @partner.example: listed
                verdict: listed
                either:
                verdict: listed
                """,
                SenderIdentity.EITHER,
                "bob@example.com",
                "news@partner.example",
                "");
        assertSteps(
                """
                the null sender
                verdict: not listed, null-sender
                """,
                SenderIdentity.BOTH,
                "",
                "news@partner.example",
                "");
    }

    @Test
    void shouldExplainWhatAnAddressStandsFor() throws IOException {
        list("alice@example.com");
        unwrapping = new Unwrapping(Set.of(Unwrapping.Form.BATV), List.of());
        String written = "prvs=0123abcdef=alice@example.com";
        assertSteps(
                """
                asked: 1 addresses, 0 domains, built at an unrecorded time from SUM
                prvs=0123abcdef=alice@example.com stands for alice@example.com
                prvs=0123abcdef=alice@example.com: no entry
                alice@example.com: entry alice@example.com
                alice@example.com: listed
                verdict: listed
                """,
                written,
                "");
    }

    @Test
    void shouldExplainWhatCannotBeFoundOut() throws IOException {
        list("alice@example.com to=me@here.example");
        users =
                recipient -> {
                    throw new IOException("no directory");
                };
        assertSteps(
                """
                asked: 1 addresses, 0 domains, 1 for some recipients, built at an unrecorded time from SUM
                alice@example.com: entries for some recipients
                verdict for you@here.example: not listed, unavailable (no directory)
                unavailable counts as listed
                """,
                "alice@example.com",
                "you@here.example");
    }

    /**
     * In the list before and in the one after, one of the addresses is listed. The list is replaced
     * after the question about the envelope sender and before the one about From:.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAskForBothAddressesInOneContent(boolean closed) throws IOException {
        list("x@mailer.example auth=dkim", "news@partner.example");
        list("x@mailer.example");
        SenderList after = lists.removeLast();
        SenderList before = lists.getFirst();
        boolean[] replaced = {false};
        lists.set(0, () -> (replaced[0] ? after : before).current());
        MailFacts mail =
                new MailFacts(
                        Sender.parse("x@mailer.example"),
                        () -> Sender.parse("news@partner.example"),
                        List.of(),
                        sender -> {
                            replaced[0] = true;
                            if (closed) {
                                ((Generation) before.current()).retire();
                            }
                            return Set.of();
                        });
        Decision decision = decide(SenderIdentity.EITHER, mail);
        assertThat(replaced[0]).isTrue();
        assertThat(decision.verdicts()).extracting(Verdict::word).containsExactly("listed");
    }

    @Test
    void shouldBeUnavailableWhenAListIsClosed() throws IOException {
        list("news@partner.example");
        ((Generation) lists.getFirst().current()).retire();
        Decision decision =
                decide(SenderIdentity.BOTH, "x@mailer.example", "news@partner.example", "");
        assertThat(decision.verdicts().getFirst().reason()).isEqualTo(Reason.UNAVAILABLE);
        assertThat(String.join("\n", decision.steps())).contains("(the list is closed)");
    }

    @Test
    void shouldSayThatAnAccountHasOnlyForwardedAMail() throws IOException {
        list("sam@gmail.com");
        String forwarded = "sam+caf_=me=here.example@gmail.com";
        Decision decision = decide(SenderIdentity.ENVELOPE, forwarded, "eve@evil.example", "");
        assertThat(decision.verdicts().getFirst().reason()).isEqualTo(Reason.STRANGER);
        assertThat(decision.steps())
                .contains(
                        "sam@gmail.com: has only forwarded the mail, so no entry but a denial"
                                + " counts");
    }

    /** What people write, and what of it confirms mail@news.example and a domain of this server. */
    @ParameterizedTest
    @CsvSource({
        "'', , ",
        "spf, SPF, ",
        "dkim, DKIM, ",
        "dkim:news.example, DKIM, ",
        "dkim:here.example, , DKIM",
        "'spf, dkim:here.example', SPF, DKIM",
        "login, , LOGIN",
        "network, , NETWORK",
        "'login,network', , LOGIN",
        "'network,login', , LOGIN",
        "'login,spf', SPF, LOGIN",
    })
    void shouldReadWhatConfirms(
            String text, @Nullable Confirmation news, @Nullable Confirmation here) {
        Sender sender = Sender.parse("mail@news.example");
        Sender own = Sender.parse("sam@here.example");
        Evidence evidence = Evidence.parse(text, sender, sender, "here.example"::equals);
        assertThat(evidence.confirmations(((Known) sender).address()))
                .isEqualTo(news == null ? Set.of() : Set.of(news));
        assertThat(evidence.confirmations(((Known) own).address()))
                .isEqualTo(here == null ? Set.of() : Set.of(here));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SPF", "spf,", "dkim:", "dkim:a b", "dmarc"})
    void shouldRefuseWhatConfirmsNothing(String text) {
        assertThatThrownBy(() -> MailFacts.parse("a@b.ex", null, List.of(), text, any -> false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allowed: spf, dkim, dkim:DOMAIN");
    }

    /** James' list of domains may fail, and mails are judged nevertheless. */
    @Test
    void shouldTakeNoDomainForLocalWhenJamesFails() {
        Predicate<String> failing =
                domain -> {
                    throw new IllegalStateException("no database");
                };
        assertThat(
                        MailFacts.parse("a@here.example", null, List.of(), "login", failing)
                                .authentication()
                                .meets(AuthRequirement.ANY, SmallLists.address("a@here.example")))
                .isFalse();
    }
}
