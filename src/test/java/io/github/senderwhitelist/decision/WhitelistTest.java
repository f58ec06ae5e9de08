package io.github.senderwhitelist.decision;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

class WhitelistTest {
    private static final Subaddressing PLUS = Subaddressing.VALUES.parse("+").orElseThrow();
    private static final String[] LIST = {
        "alice@example.com",
        "@example.com",
        "!mallory@example.com",
        "!eve+news@example.com",
        "@.example.org",
        "!@.bad.example.org",
        "carol@deep.bad.example.org",
        "tagged+list@example.net",
        "microsoft.com@example.net",
        "@microsoft.com",
        "!@denied.example",
        "@both.example",
        "!@both.example",
        "!x@wide.example",
        "@.com.example"
    };

    @TempDir Path folder;

    private CountingList list(String... lines) throws IOException {
        return new CountingList(folder, SmallLists.TIGHT, lines);
    }

    private static PlainWhitelist whitelist(SenderList... lists) {
        return new PlainWhitelist(List.of(lists), PLUS);
    }

    private static String show(Verdict verdict) {
        return switch (verdict) {
            case Listed(var entry) -> "listed " + entry;
            case NotListed(var reason, var entry, var denied) ->
                    reason.label() + (entry == null ? "" : " " + entry);
            case Unavailable(var cause) -> "unavailable " + cause.getMessage();
            case Failed(var cause) -> throw new AssertionError(cause);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "alice@example.com, listed alice@example.com",
        "ALICE@EXAMPLE.COM, listed alice@example.com",
        "alice+tag@example.com, listed alice@example.com",
        "someone@example.com, listed @example.com",
        "mallory@example.com, denied !mallory@example.com",
        "mallory+tag@example.com, denied !mallory@example.com",
        "eve@example.com, listed @example.com",
        "eve+news@example.com, denied !eve+news@example.com",
        "eve+other@example.com, listed @example.com",
        "someone@sub.example.com, stranger",
        "someone@notexample.com, stranger",
        "someone@example.org, stranger",
        "someone@a.example.org, listed @.example.org",
        "someone@a.b.example.org, listed @.example.org",
        "someone@bad.example.org, listed @.example.org",
        "someone@x.bad.example.org, denied !@.bad.example.org",
        "carol@deep.bad.example.org, listed carol@deep.bad.example.org",
        "someone@deep.bad.example.org, denied !@.bad.example.org",
        "tagged@example.net, stranger",
        "tagged+list@example.net, listed tagged+list@example.net",
        "tagged+list+more@example.net, stranger",
        "x@microsoft.com, listed @microsoft.com",
        "x@onmicrosoft.com, stranger",
        "x@microsoft.com.evil.example, stranger",
        "x@denied.example, denied !@denied.example",
        "x@both.example, denied !@both.example",
        "x@wide.example, denied !x@wide.example",
        "y@wide.example, stranger",
        "a@b.com.example, listed @.com.example",
        "a@com.example, stranger"
    })
    void shouldDecideByTheMostSpecificEntry(String sender, String expected) throws IOException {
        assertThat(show(whitelist(list(LIST)).check(address(sender)))).isEqualTo(expected);
    }

    @Test
    void shouldNotTouchStoreOrCacheWhenTheFilterSaysNo() throws IOException {
        CountingList list = list(LIST);
        PlainWhitelist whitelist = whitelist(list);
        int asked = 0;
        for (int i = 0; i < 100_000; i++) {
            var sender = address("stranger" + i + "+tag@host" + i + ".example.net");
            asked += maybes(list.generation, sender);
            assertThat(whitelist.check(sender)).isEqualTo(NotListed.STRANGER);
        }

        assertThat(list.asked).hasSize(asked);
        assertThat(asked).isBetween(1, 200);
    }

    /** Returns for how many keys of a sender the filter says "maybe". No more may be looked up. */
    private static int maybes(
            Generation generation, io.github.senderwhitelist.address.Address sender) {
        int maybes = generation.mightContain(sender.key()) ? 1 : 0;
        Key untagged = Objects.requireNonNull(sender.keyWithoutTag(PLUS));
        maybes += generation.mightContain(untagged) ? 1 : 0;
        for (int domain = sender.firstDomain(); domain >= 0; domain = sender.nextDomain(domain)) {
            maybes += generation.mightContain(sender.key().bytes(), domain) ? 1 : 0;
        }
        return maybes;
    }

    @Test
    void shouldAskTheStoreOncePerKeyAndRememberTheAnswer() throws IOException {
        CountingList list = list(LIST);
        PlainWhitelist whitelist = whitelist(list);
        for (int i = 0; i < 10; i++) {
            whitelist.check(address("alice@example.com"));
            whitelist.check(address("bob@example.com"));
        }

        assertThat(list.asked).containsExactly("alice@example.com", "@example.com");
    }

    @Test
    void shouldSayNotListedWhenTheFilterIsWrong() throws IOException {
        CountingList list = new CountingList(folder, SmallLists.LOOSE, LIST);
        PlainWhitelist whitelist = whitelist(list);
        int wrong = 0;
        for (int i = 0; i < 1000; i++) {
            var sender = address("stranger" + i + "@elsewhere.example.net");
            wrong += list.generation.mightContain(sender.key()) ? 1 : 0;
            assertThat(whitelist.check(sender)).isEqualTo(NotListed.STRANGER);
        }

        assertThat(wrong).isGreaterThan(5).isLessThanOrEqualTo(list.asked.size());
    }

    @Test
    void shouldSayUnavailableWhenTheStoreFailsAndRecover() throws IOException {
        CountingList list = list(LIST);
        PlainWhitelist whitelist = whitelist(list);
        list.broken = true;
        assertThat(show(whitelist.check(address("alice@example.com"))))
                .isEqualTo("unavailable broken");
        list.broken = false;

        assertThat(show(whitelist.check(address("alice@example.com"))))
                .isEqualTo("listed alice@example.com");
    }

    @Test
    void shouldListWithTheFilterAloneWhenNothingElseIsOpened() throws IOException {
        Snapshot snapshot = SmallLists.snapshot(folder, SmallLists.TIGHT, "alice@example.com");
        Generation generation = new Generation(snapshot, null, null, 0, new ListCounters());
        PlainWhitelist whitelist = whitelist(() -> generation);

        assertThat(show(whitelist.check(address("alice@example.com"))))
                .isEqualTo("listed alice@example.com");
        assertThat(show(whitelist.check(address("bob@example.com")))).isEqualTo("stranger");
    }

    @ParameterizedTest
    @CsvSource({
        "x@one.example, listed x@one.example",
        "y@one.example, listed @one.example",
        "x@tie.example, denied !@tie.example",
        "special@tie.example, listed special@tie.example",
        "x@nowhere.example, stranger"
    })
    void shouldLetTheMostSpecificEntryOfAllListsDecide(String sender, String expected)
            throws IOException {
        SenderList first = list("@one.example", "@tie.example", "!@two.example");
        SenderList second = list("x@one.example", "!@tie.example", "special@tie.example");

        assertThat(show(whitelist(first, second).check(address(sender)))).isEqualTo(expected);
        assertThat(show(whitelist(second, first).check(address(sender)))).isEqualTo(expected);
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
        assertThat(show(whitelist(list(lines.split("; "))).check(address("x@a.example"))))
                .isEqualTo(expected);
    }

    @Test
    void shouldAskTheNextGenerationWhenOneIsRetiredMeanwhile() throws IOException {
        Generation retired = list("alice@example.com").generation;
        retired.retire();
        Generation active = list("@example.com").generation;
        List<Generation> order = new ArrayList<>(List.of(retired, active));
        SenderList refreshed = () -> order.size() > 1 ? order.removeFirst() : order.getFirst();

        assertThat(show(whitelist(refreshed).check(address("alice@example.com"))))
                .isEqualTo("listed @example.com");
    }

    /** The first list gets the entry just after the check has read it. */
    @Test
    void shouldFindAnEntryThatMovesToTheListAskedBefore() throws IOException {
        Generation with = list("a@e.com").generation;
        Generation without = list("b@e.com").generation;
        List<Generation> first = new ArrayList<>(List.of(without, with));
        List<Generation> second = new ArrayList<>(List.of(without));
        SenderList asked = () -> first.size() > 1 ? first.removeFirst() : first.getFirst();
        PlainWhitelist whitelist = whitelist(asked, second::getFirst);

        assertThat(whitelist.check(address("a@e.com"))).isInstanceOf(Listed.class);
        with.retire();
        without.retire();
    }

    /** A check may use again what the check before read, but only if no list was refreshed. */
    @Test
    void shouldAskTheActiveListsWhenOnlyOneChangedSinceTheCheckBefore() throws IOException {
        Generation alice = list("a@e.com").generation;
        Generation bob = list("b@e.com").generation;
        Generation carol = list("c@e.com").generation;
        AtomicReference<Generation> first = new AtomicReference<>(alice);
        AtomicReference<Generation> second = new AtomicReference<>(bob);
        PlainWhitelist whitelist = whitelist(first::get, second::get);

        assertThat(whitelist.check(address("b@e.com"))).isInstanceOf(Listed.class);
        second.set(carol);
        assertThat(whitelist.check(address("b@e.com"))).isInstanceOf(NotListed.class);
        assertThat(whitelist.check(address("c@e.com"))).isInstanceOf(Listed.class);
        first.set(bob);
        assertThat(whitelist.check(address("a@e.com"))).isInstanceOf(NotListed.class);
        assertThat(whitelist.check(address("b@e.com"))).isInstanceOf(Listed.class);
        alice.retire();
        bob.retire();
        carol.retire();
    }
}
