package io.github.senderwhitelist.decision;

import static io.github.senderwhitelist.decision.SenderIdentity.BOTH;
import static io.github.senderwhitelist.decision.SenderIdentity.EITHER;
import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.ExactStore;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Tests what a decision asks its lists, and what it makes of lists that fail or change. What it
 * decides is in {@code decisions.txt} and in the model.
 */
class WhitelistTest {
    private static final int MANY = 10_000;

    private static final Map<String, Verdict> VERDICTS =
            Map.of(
                    "listed",
                    new Listed(
                            new Entry(SmallLists.address("a@b").key(), null, Rule.ONLY_LISTS), 0),
                    "denied",
                    new NotListed(Reason.DENIED, null),
                    "expired",
                    new NotListed(Reason.EXPIRED, null),
                    "stranger",
                    NotListed.STRANGER,
                    "unavailable",
                    new Unavailable(new IOException("x")),
                    "failed",
                    new Failed(new IllegalStateException("x")));

    private final List<SenderList> lists = new ArrayList<>();
    private RecipientUsers users = RecipientUsers.NONE;

    @TempDir Path folder;

    /** A list that counts what its store is asked, and whose store fails on demand. */
    private static final class CountingList implements SenderList, ExactStore {
        final Generation generation;

        /** The senders asked for, each with its recipients. */
        final List<String> asked = new ArrayList<>();

        /** What the store fails to answer. */
        final Set<String> broken = new HashSet<>();

        private final ListCounters counters = new ListCounters();
        private final ExactStore store;

        CountingList(Path folder, BuildOptions options, int cacheSize, String... lines)
                throws IOException {
            Snapshot snapshot = SmallLists.snapshot(folder, options, lines);
            store = Objects.requireNonNull(snapshot.store());
            generation = new Generation(snapshot, this, null, cacheSize, counters);
        }

        long count(Count which) {
            return counters.get(which);
        }

        @Override
        public Generation current() {
            return generation;
        }

        @Override
        public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
            String question = key + (to == null ? "" : " to=" + to);
            asked.add(question);
            if (broken.contains(question)) {
                throw new IOException(question);
            }
            return store.find(key, to);
        }
    }

    /** Adds a list that caches nothing. */
    private CountingList list(String... lines) throws IOException {
        CountingList list = new CountingList(folder, SmallLists.TIGHT, 0, lines);
        lists.add(list);
        return list;
    }

    private List<Verdict> decide(String envelope, String from, List<String> recipients) {
        return new Whitelist(lists, PlainWhitelist.policy(Subaddressing.DEFAULT, users))
                .check(
                        new MailFacts(
                                Sender.parse(envelope),
                                () -> Sender.parse(from),
                                recipients,
                                Authentication.UNCONFIRMED));
    }

    /** Returns the verdicts on a sender who is the same in the envelope and in From:. */
    private List<String> check(String sender, String... recipients) {
        return decide(sender, sender, List.of(recipients)).stream()
                .map(WhitelistTest::show)
                .toList();
    }

    private static String show(Verdict verdict) {
        return verdict.reason().label()
                + (verdict.entry() == null ? "" : " " + verdict.entry())
                + (verdict instanceof Unavailable(var cause) ? " " + cause.getMessage() : "");
    }

    private static String[] many(int count, Function<Integer, String> each) {
        return IntStream.range(0, count).boxed().map(each).toArray(String[]::new);
    }

    private static List<String> users(int count) {
        return List.of(many(count, i -> "u" + i + "@d.example"));
    }

    @ParameterizedTest
    @CsvSource({
        "stranger@example.net, 1",
        "stranger@a.b.c.example.net, 1",
        "stranger@[192.0.2.1], 1",
        "stranger+tag+more@example.net, 2",
        "+tag@example.net, 1"
    })
    void shouldAskOnlyFiltersForStrangers(String sender, int addresses) throws IOException {
        CountingList list = list("alice@example.com", "@example.org");

        assertThat(check(sender)).containsExactly("stranger");
        assertThat(list.asked).isEmpty();
        assertThat(list.count(Count.FILTER_NO)).isEqualTo(addresses);
        assertThat(list.count(Count.DOMAIN_MAYBE)).isZero();
    }

    /** A filter of a rate of 1 % lets about 1 % of strangers cost a lookup. */
    @Test
    void shouldLookUpTheShareOfStrangersThatWasAskedFor() throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.01));
        String[] lines =
                many(100_000, i -> i % 10 == 0 ? "@d" + i + ".example" : "u" + i + "@x.example");
        CountingList list = new CountingList(folder, options, 0, lines);
        lists.add(list);
        for (int i = 0; i < 200_000; i++) {
            assertThat(check("s" + i + "@mail.s" + i + ".net")).containsExactly("stranger");
        }

        // 2,000 expected; ten per cent are four and a half standard deviations.
        assertThat(list.asked).hasSizeBetween(1_800, 2_200);
    }

    @Test
    void shouldAskEachFilterOnceWhicheverSaysMaybeFirst() throws IOException {
        List<CountingList> all =
                List.of(list("a@x.example"), list("b@x.example"), list("@z.example"));
        check("a@x.example");
        check("b+t@x.example");
        check("c@z.example");

        assertThat(all.stream().map(each -> each.count(Count.FILTER_MAYBE)))
                .containsExactly(1L, 1L, 0L);
        assertThat(all.stream().map(each -> each.count(Count.FILTER_NO)))
                .containsExactly(3L, 3L, 4L);
        assertThat(all.getLast().count(Count.DOMAIN_MAYBE)).isEqualTo(1);
    }

    @Test
    void shouldAskTheStoreOncePerKeyAndRememberTheAnswer() throws IOException {
        CountingList list =
                new CountingList(folder, SmallLists.TIGHT, 10, "alice@example.com", "@example.com");
        lists.add(list);
        for (int i = 0; i < 10; i++) {
            check("alice@example.com");
            check("bob@example.com");
        }

        assertThat(list.asked).containsExactly("alice@example.com", "@example.com");
    }

    @Test
    void shouldSayUnavailableWhenTheStoreFailsAndRecover() throws IOException {
        CountingList list = list("alice@example.com");
        list.broken.add("alice@example.com");
        assertThat(check("alice@example.com")).containsExactly("unavailable alice@example.com");
        list.broken.clear();

        assertThat(check("alice@example.com")).containsExactly("listed alice@example.com");
    }

    @Test
    void shouldListWithTheFilterAloneWhenNothingElseIsOpened() throws IOException {
        Snapshot snapshot = SmallLists.snapshot(folder, SmallLists.TIGHT, "alice@example.com");
        Generation generation = new Generation(snapshot, null, null, 0, new ListCounters());
        lists.add(() -> generation);

        assertThat(check("alice@example.com")).containsExactly("listed alice@example.com");
        assertThat(check("bob@example.com")).containsExactly("stranger");
    }

    @Test
    void shouldLookUpEachKeyOnceForAllRecipients() throws IOException {
        CountingList list =
                list("a@x.example to=u7@d.example origin=user", "@x.example to=@e.example");
        List<Verdict> verdicts = decide("a+t@x.example", "a+t@x.example", users(MANY));

        assertThat(verdicts).filteredOn(Listed.class::isInstance).hasSize(1);
        assertThat(verdicts.get(7)).isInstanceOf(Listed.class);
        assertThat(list.asked).filteredOn(each -> !each.contains(" to=")).doesNotHaveDuplicates();
        assertThat(list.asked)
                .filteredOn(each -> each.startsWith("a@x.example to="))
                .hasSize(MANY)
                .doesNotHaveDuplicates();
    }

    /** The administrator's lines for From: are looked up once, though users list the envelope. */
    @Test
    void shouldLookUpEachKeyOfAnotherAddressOnceForAllRecipients() throws IOException {
        list(many(MANY, i -> "a@x.example to=u" + i + "@d.example origin=user"));
        CountingList second = list("!@y.x.example");
        List<Verdict> verdicts = decide("a@x.example", "b@y.x.example", users(MANY));

        assertThat(verdicts)
                .hasSize(MANY)
                .allMatch(
                        verdict ->
                                verdict
                                                instanceof
                                                NotListed(
                                                        var reason,
                                                        var entry,
                                                        var denied,
                                                        var list)
                                        && reason == Reason.DENIED
                                        && address("b@y.x.example").equals(denied));
        assertThat(second.asked).containsOnlyOnce("@y.x.example");
        assertThat(second.count(Count.FILTER_NO)).isEqualTo(2);
    }

    @Test
    void shouldNotLookUpAWiderKeyThanARecipientNeeds() throws IOException {
        CountingList list = list("a@x.example to=u@d.example", "@x.example", "@.example");

        assertThat(check("a@x.example", "u@d.example"))
                .containsExactly("listed a@x.example to=u@d.example");
        assertThat(list.asked).containsExactly("a@x.example", "a@x.example to=u@d.example");
        list.asked.clear();
        assertThat(check("a@x.example", "u@d.example", "v@d.example", "w@d.example"))
                .containsExactly(
                        "listed a@x.example to=u@d.example",
                        "listed @x.example",
                        "listed @x.example");
        assertThat(list.asked).containsOnlyOnce("@x.example").doesNotContain("@.example");
    }

    /** Users' lines are for addresses only, so they cannot change what is listed before domains. */
    @Test
    void shouldNotLookUpADomainWhenTheAdministratorListsTheAddress() throws IOException {
        CountingList list =
                list("a@x.example", "@x.example", "b@x.example to=u@d.example origin=user");

        assertThat(check("a@x.example", "u@d.example")).containsExactly("listed a@x.example");
        assertThat(list.asked).containsExactly("a@x.example");
    }

    @Test
    void shouldNotAskAListThatFailsForEachRecipient() throws IOException {
        CountingList list = list("a@x.example to=u7@d.example origin=user");
        list.broken.add("a@x.example");

        assertThat(decide("a@x.example", "a@x.example", users(MANY)))
                .hasSize(MANY)
                .allMatch(Unavailable.class::isInstance);
        assertThat(list.asked).containsExactly("a@x.example");
    }

    /** A failure counts for the recipients that it keeps from an answer, and for no others. */
    @Test
    void shouldKeepAFailureForTheRecipientsThatMeetIt() throws IOException {
        CountingList first = list("a@x.example to=@d.example", "@x.example");
        first.broken.add("@x.example");
        list("!a@x.example to=u@d.example").broken.add("a@x.example to=v@d.example");

        assertThat(check("a@x.example", "u@d.example", "v@d.example", "w@d.example", "w@e.example"))
                .containsExactly(
                        "denied !a@x.example to=u@d.example",
                        "unavailable a@x.example to=v@d.example",
                        "listed a@x.example to=@d.example",
                        "unavailable @x.example");
        assertThat(first.asked).containsOnlyOnce("@x.example");
    }

    /** Users' denials of an address that cannot be looked up may have been missed. */
    @Test
    void shouldNotListWhenAUsersDenialCannotBeLookedUp() throws IOException {
        list("a@x.example", "b@y.example to=u@d.example origin=user").broken.add("b@y.example");

        assertThat(decide("a@x.example", "b@y.example", List.of("u@d.example")))
                .allMatch(Unavailable.class::isInstance);
    }

    @Test
    void shouldReportTheFirstPersonalListing() throws IOException {
        list(
                "a@x.example to=u@d.example origin=user",
                "b@m.x.example to=u@d.example origin=user",
                "b@m.x.example until=2090-01-01 to=u@d.example origin=learned",
                "c@n.x.example until=2090-01-01 to=u@d.example origin=learned");
        List<String> to = List.of("u@d.example");

        assertThat(decide("a@x.example", "b@m.x.example", to).stream().map(WhitelistTest::show))
                .containsExactly("listed a@x.example to=u@d.example origin=user");
        assertThat(decide("b@m.x.example", "a@x.example", to).stream().map(WhitelistTest::show))
                .containsExactly("listed b@m.x.example to=u@d.example origin=user");
        assertThat(decide("c@n.x.example", "a@x.example", to).stream().map(WhitelistTest::show))
                .containsExactly(
                        "listed c@n.x.example until=2090-01-01 to=u@d.example origin=learned");
    }

    /** Of several rules that fail for the same reason, the verdict has that of the nearest key. */
    @ParameterizedTest
    @CsvSource({
        "x@a.example auth=dkim; @a.example auth=spf, unauthenticated x@a.example auth=dkim",
        "x@a.example until=2020-01-31; @a.example auth=spf, unauthenticated @a.example auth=spf",
        "x@a.example auth=dkim; @a.example until=2020-01-31, unauthenticated x@a.example auth=dkim",
        "x@a.example to=a@b.example; @a.example to=@b.example, stranger"
    })
    void shouldReportTheRuleThatCameNearest(String lines, String expected) throws IOException {
        list(lines.split("; "));
        assertThat(check("x@a.example")).containsExactly(expected);
    }

    @Test
    void shouldGiveEachRecipientItsEntry() throws IOException {
        list("a@x.example to=u@d.example note=mine", "a@x.example to=v@d.example until=2090-01-01");
        assertThat(check("a@x.example", "u@d.example", "v@d.example", "w@d.example"))
                .containsExactly(
                        "listed a@x.example to=u@d.example note=mine",
                        "listed a@x.example until=2090-01-01 to=v@d.example",
                        "stranger");
    }

    /** Nobody is asked for users when the sender has no entries for some recipients. */
    @Test
    void shouldAskForUsersOnlyWhenItMatters() throws IOException {
        List<String> asked = new ArrayList<>();
        users =
                recipient -> {
                    asked.add(recipient.toString());
                    if (recipient.local().equals("lost")) {
                        throw new IOException("the table does not answer");
                    }
                    return null;
                };
        list("a@x.example to=u@d.example", "b@x.example", "@c.example");
        check("stranger@x.example", "u@d.example");
        check("b@x.example", "u@d.example");
        check("q@c.example", "u@d.example");
        assertThat(asked).isEmpty();
        assertThat(check("a@x.example", "u@d.example", "lost@d.example", "w@d.example"))
                .containsExactly(
                        "listed a@x.example to=u@d.example",
                        "unavailable the table does not answer",
                        "stranger");
        assertThat(asked).containsExactly("u@d.example", "lost@d.example", "w@d.example");
    }

    /** What a forged sender costs, whatever the number of recipients. */
    @ParameterizedTest
    @ValueSource(ints = {1, 50, 1000})
    void shouldCostForgedSendersOneReadForEachAddress(int count) throws IOException {
        String[] lines = many(5_000, i -> "noreply@github.example to=user" + i + "@d.example");
        CountingList list = new CountingList(folder, SmallLists.TIGHT, 10_000, lines);
        lists.add(list);
        String[] recipients = many(count, i -> "other" + i + "@d.example");

        assertThat(check("noreply@github.example", recipients)).containsOnly("stranger");
        assertThat(list.asked).containsOnlyOnce("noreply@github.example");
        assertThat(list.asked).filteredOn(asked -> asked.contains(" to=")).hasSize(count);
        check("noreply@github.example", recipients);
        assertThat(list.asked).as("cached").hasSize(count + 1);
    }

    /** Makes a list that has other content each time, and the last one for ever. */
    private static SenderList changing(Generation... contents) {
        List<Generation> left = new ArrayList<>(List.of(contents));
        return () -> left.size() > 1 ? left.removeFirst() : left.getFirst();
    }

    /** The first list gets the entry just after the check has read it. */
    @Test
    void shouldFindAnEntryThatMovesToTheListAskedBefore() throws IOException {
        Generation with = list("a@e.com").generation;
        Generation without = list("b@e.com").generation;
        lists.clear();
        lists.addAll(List.of(changing(without, with), () -> without));

        assertThat(check("a@e.com")).containsExactly("listed a@e.com");
    }

    /** Pairs of verdicts on the two addresses, in either order, and the verdict on the mail. */
    @ParameterizedTest
    @CsvSource({
        "listed, listed, listed, listed",
        "listed, stranger, listed, stranger",
        "listed, denied, denied, denied",
        "listed, expired, listed, expired",
        "listed, unavailable, listed, unavailable",
        "listed, failed, failed, failed",
        "stranger, unavailable, unavailable, stranger",
        "stranger, expired, expired, expired",
        "stranger, denied, denied, denied",
        "stranger, failed, failed, failed",
        "denied, unavailable, denied, denied",
        "unavailable, unavailable, unavailable, unavailable",
        "unavailable, failed, failed, failed",
    })
    void shouldJoinTheVerdictsOnBothAddresses(
            String one, String other, String either, String both) {
        Verdict first = Objects.requireNonNull(VERDICTS.get(one));
        Verdict second = Objects.requireNonNull(VERDICTS.get(other));
        assertThat(List.of(EITHER.of(first, second), EITHER.of(second, first)))
                .containsOnly(VERDICTS.get(either));
        assertThat(List.of(BOTH.of(first, second), BOTH.of(second, first)))
                .containsOnly(VERDICTS.get(both));
    }
}
