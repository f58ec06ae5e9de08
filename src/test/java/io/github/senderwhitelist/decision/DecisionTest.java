package io.github.senderwhitelist.decision;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.ExactStore;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Tests what a decision on a mail to many recipients asks its lists, none of which caches. */
class DecisionTest {
    private static final int MANY = 10_000;

    private final List<String> asked = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();
    private final List<ListCounters> counters = new ArrayList<>();
    private final List<SenderList> lists = new ArrayList<>();

    @TempDir Path folder;

    /** Adds a list. */
    private void list(String... lines) throws IOException {
        Snapshot snapshot = SmallLists.snapshot(folder, SmallLists.TIGHT, lines);
        ExactStore store = Objects.requireNonNull(snapshot.store());
        ListCounters ofList = new ListCounters();
        Generation generation =
                new Generation(
                        snapshot,
                        (key, to) -> {
                            String question = key + (to == null ? "" : " to=" + to);
                            asked.add(question);
                            if (broken.contains(question)) {
                                throw new IOException(question);
                            }
                            return store.find(key, to);
                        },
                        null,
                        0,
                        ofList);
        counters.add(ofList);
        lists.add(() -> generation);
    }

    private List<Verdict> check(List<Address> identities, List<String> recipients) {
        return new Whitelist(lists, PlainWhitelist.policy(Subaddressing.DEFAULT))
                .check(
                        new Question(
                                new Sender.Known(identities.getFirst()),
                                identities,
                                identities,
                                recipients,
                                Authentication.UNCONFIRMED));
    }

    private List<String> check(String sender, String... recipients) {
        return check(List.of(address(sender)), List.of(recipients)).stream()
                .map(DecisionTest::show)
                .toList();
    }

    private static String show(Verdict verdict) {
        return verdict.reason().label()
                + (verdict.entry() == null ? "" : " " + verdict.entry())
                + (verdict instanceof Unavailable(var cause) ? " " + cause.getMessage() : "");
    }

    private static List<String> many() {
        return IntStream.range(0, MANY).mapToObj(i -> "u" + i + "@d.example").toList();
    }

    @Test
    void shouldLookUpEachKeyOnceForAllRecipients() throws IOException {
        list("a@x.example to=u7@d.example origin=user", "@x.example to=@e.example");
        List<Verdict> verdicts = check(List.of(address("a+t@x.example")), many());

        assertThat(verdicts).filteredOn(Listed.class::isInstance).hasSize(1);
        assertThat(verdicts.get(7)).isInstanceOf(Listed.class);
        assertThat(asked).filteredOn(each -> !each.contains(" to=")).doesNotHaveDuplicates();
        assertThat(asked)
                .filteredOn(each -> each.startsWith("a@x.example to="))
                .hasSize(MANY)
                .doesNotHaveDuplicates();
    }

    /** The administrator's lines for From: are looked up once, though users list the envelope. */
    @Test
    void shouldLookUpEachKeyOfAnotherAddressOnceForAllRecipients() throws IOException {
        list(
                IntStream.range(0, MANY)
                        .mapToObj(i -> "a@x.example to=u" + i + "@d.example origin=user")
                        .toArray(String[]::new));
        list("!@y.example");
        List<Verdict> verdicts =
                check(List.of(address("a@x.example"), address("b@y.example")), many());

        assertThat(verdicts)
                .hasSize(MANY)
                .allMatch(
                        verdict ->
                                verdict instanceof NotListed(var reason, var entry, var denied)
                                        && reason == Reason.DENIED
                                        && address("b@y.example").equals(denied));
        assertThat(asked).containsOnlyOnce("@y.example");
        assertThat(counters.getLast().get(Count.FILTER_NO)).isEqualTo(2);
    }

    @Test
    void shouldNotLookUpAWiderKeyThanARecipientNeeds() throws IOException {
        list("a@x.example to=u@d.example", "@x.example", "@.example");

        assertThat(check("a@x.example", "u@d.example"))
                .containsExactly("listed a@x.example to=u@d.example");
        assertThat(asked).containsExactly("a@x.example", "a@x.example to=u@d.example");
        asked.clear();
        assertThat(check("a@x.example", "u@d.example", "v@d.example", "w@d.example"))
                .containsExactly(
                        "listed a@x.example to=u@d.example",
                        "listed @x.example",
                        "listed @x.example");
        assertThat(asked).containsOnlyOnce("@x.example").doesNotContain("@.example");
    }

    /** Users' lines are for addresses only, so they cannot change what is listed before domains. */
    @Test
    void shouldNotLookUpADomainWhenTheAdministratorListsTheAddress() throws IOException {
        list("a@x.example", "@x.example", "b@x.example to=u@d.example origin=user");

        assertThat(check("a@x.example", "u@d.example")).containsExactly("listed a@x.example");
        assertThat(asked).containsExactly("a@x.example");
    }

    @Test
    void shouldNotAskAListThatFailsForEachRecipient() throws IOException {
        list("a@x.example to=u7@d.example origin=user");
        broken.add("a@x.example");

        assertThat(check(List.of(address("a@x.example")), many()))
                .hasSize(MANY)
                .allMatch(Unavailable.class::isInstance);
        assertThat(asked).containsExactly("a@x.example");
    }

    /** A failure counts for the recipients that it keeps from an answer, and for no others. */
    @Test
    void shouldKeepAFailureForTheRecipientsThatMeetIt() throws IOException {
        list("a@x.example to=@d.example", "@x.example");
        list("!a@x.example to=u@d.example");
        Collections.addAll(broken, "@x.example", "a@x.example to=v@d.example");

        assertThat(check("a@x.example", "u@d.example", "v@d.example", "w@d.example", "w@e.example"))
                .containsExactly(
                        "denied !a@x.example to=u@d.example",
                        "unavailable a@x.example to=v@d.example",
                        "listed a@x.example to=@d.example",
                        "unavailable @x.example");
        assertThat(asked).containsOnlyOnce("@x.example");
    }

    /** Users' denials of an address that cannot be looked up may have been missed. */
    @Test
    void shouldNotListWhenAUsersDenialCannotBeLookedUp() throws IOException {
        list("a@x.example", "b@y.example to=u@d.example origin=user");
        broken.add("b@y.example");

        assertThat(
                        check(
                                List.of(address("a@x.example"), address("b@y.example")),
                                List.of("u@d.example")))
                .allMatch(Unavailable.class::isInstance);
    }

    @Test
    void shouldReportTheFirstPersonalListing() throws IOException {
        list(
                "a@x.example to=u@d.example origin=user",
                "b@y.example to=u@d.example origin=user",
                "b@y.example until=2090-01-01 to=u@d.example origin=learned",
                "c@z.example until=2090-01-01 to=u@d.example origin=learned");
        Address a = address("a@x.example");
        Address b = address("b@y.example");
        Address c = address("c@z.example");
        List<String> to = List.of("u@d.example");

        assertThat(show(check(List.of(a, b, c), to).getFirst()))
                .isEqualTo("listed a@x.example to=u@d.example origin=user");
        assertThat(show(check(List.of(b, a, c), to).getFirst()))
                .isEqualTo("listed b@y.example to=u@d.example origin=user");
        assertThat(show(check(List.of(c, b, a), to).getFirst()))
                .isEqualTo("listed c@z.example until=2090-01-01 to=u@d.example origin=learned");
    }

    /** Whichever filter says "maybe" first. */
    @Test
    void shouldAskEachFilterOnce() throws IOException {
        list("a@x.example");
        list("b@x.example");
        list("@z.example");
        check("a@x.example");
        check("b+t@x.example");
        check("c@z.example");

        assertThat(counters.stream().map(each -> each.get(Count.FILTER_MAYBE)))
                .containsExactly(1L, 1L, 0L);
        assertThat(counters.stream().map(each -> each.get(Count.FILTER_NO)))
                .containsExactly(3L, 3L, 4L);
        assertThat(counters.getLast().get(Count.DOMAIN_MAYBE)).isEqualTo(1);
    }
}
