package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.living.BaseAndChanges.Since;
import io.github.senderwhitelist.living.EntryTable.Change;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Changes of a living list: which of two holds, and the memory that they are said to take. */
class ChangesTest {
    private static final Key ALICE = key("alice@far.example");
    private static final Key BOB = key("bob@here.example");
    private static final Rule USERS = new Rule(false, null, null, null, Origin.USER, "");

    private final KeyHasher hasher = new KeyHasher(7);
    private final Changes changes = new Changes(hasher);

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }

    private static Change change(@Nullable Key to, long number, Rule... rules) {
        return change(ALICE, to, number, rules);
    }

    private static Change change(Key sender, @Nullable Key to, long number, Rule... rules) {
        Origin origin = rules.length == 0 ? Origin.ADMIN : rules[0].origin();
        return new Change(sender, to, origin, List.of(rules), number, number, 0, null);
    }

    private long bytesOf(Change... all) {
        Changes fresh = new Changes(hasher);
        for (Change each : all) {
            fresh.put(each);
        }
        return fresh.bytes() - new Changes(hasher).bytes();
    }

    @Test
    void shouldHoldTheLastOfAnOrigin() {
        assertThat(changes.put(change(null, 5, Rule.DENIES))).isTrue();
        assertThat(changes.put(change(null, 4, Rule.LISTS))).isFalse();
        assertThat(changes.over(null, ALICE, null)).isEqualTo(new Entry(ALICE, true));
        assertThat(changes.put(change(null, 5, Rule.LISTS))).isTrue();
        assertThat(changes.over(null, ALICE, null)).isEqualTo(new Entry(ALICE, false));
        assertThat(changes.put(change(null, 4, USERS))).isTrue();
        assertThat(Objects.requireNonNull(changes.over(null, ALICE, null)).rules())
                .containsExactly(Rule.LISTS, USERS);
        assertThat(changes.count()).isEqualTo(2);
    }

    @Test
    void shouldSayWhereAnEntryComesFrom() {
        changes.put(change(BOB, 1, Rule.LISTS));
        assertThat(changes.source(ALICE, BOB)).isEqualTo("change");
        assertThat(changes.source(ALICE, null)).as("only the kind is known").isEqualTo("base");
        assertThat(changes.source(BOB, null)).isEqualTo("base");
        assertThat(changes.hasPersonal()).isFalse();
        changes.put(change(null, 2, USERS));
        assertThat(changes.source(ALICE, null)).isEqualTo("change");
        assertThat(changes.hasPersonal()).isTrue();
        assertThat(changes.mayHave(hasher.hash(ALICE))).isTrue();
        assertThat(changes.mayHave(hasher.hash(BOB))).isFalse();
    }

    @Test
    void shouldKnowTheKindsOfRecipientsOfASender() {
        changes.put(change(BOB, 1, Rule.LISTS));
        changes.put(change(Key.of(new byte[0], new byte[] {'b'}), 2, Rule.LISTS));
        Entry head = Objects.requireNonNull(changes.over(null, ALICE, null));
        assertThat(head.rules()).isEmpty();
        assertThat(head.kinds())
                .containsExactlyInAnyOrder(RecipientKind.ADDRESS, RecipientKind.DOMAIN);
    }

    /** The memory decides when changes are folded into the base, and when a server has too many. */
    @Test
    void shouldCountMemoryOncePerPlaceOriginAndRule() {
        long removed = bytesOf(change(null, 1));
        long listed = bytesOf(change(null, 1, Rule.LISTS));
        assertThat(removed).isPositive();
        assertThat(listed).isGreaterThan(removed);
        assertThat(bytesOf(change(null, 1, Rule.DENIES), change(null, 2, Rule.LISTS)))
                .as("the second in place of the first")
                .isEqualTo(listed);
        assertThat(bytesOf(change(null, 1, Rule.LISTS), change(null, 2))).isEqualTo(removed);
        assertThat(bytesOf(change(null, 1, Rule.LISTS), change(null, 2, USERS)))
                .as("a second origin at one place")
                .isBetween(listed + 1, 2 * listed - ALICE.bytes().length);
        assertThat(bytesOf(change(BOB, 1, Rule.LISTS)))
                .as("a place for the recipient, and one for the kind of recipients")
                .isGreaterThan(listed + ALICE.bytes().length + BOB.bytes().length)
                .isEqualTo(bytesOf(change(BOB, 1, Rule.DENIES), change(BOB, 2, Rule.LISTS)));
    }

    @Test
    void shouldCountMemoryOfKeys() {
        Key longer = key("alice.longer@far.example");
        assertThat(bytesOf(change(longer, null, 1)) - bytesOf(change(ALICE, null, 1)))
                .isEqualTo(".longer".length());
        assertThat(bytesOf(change(longer, BOB, 1)) - bytesOf(change(ALICE, BOB, 1)))
                .as("beside the recipient, and for the kind of recipients")
                .isEqualTo(2L * ".longer".length());
        assertThat(changes.bytes()).as("the table of hashes").isPositive();
    }

    @Test
    void shouldLayWhatTheBaseHasNotSeen(@TempDir Path folder) throws IOException {
        Since since = new Since(new FeedPosition("e", "1"), 0, seen -> seen == 1, changes, 7);
        BaseAndChanges base =
                new BaseAndChanges(
                        Generation.exact(
                                SmallLists.snapshot(folder, SmallLists.TIGHT, "z@far.example"),
                                0,
                                Duration.ofHours(1)),
                        since);
        assertThat(base.layOwn(change(null, 1, Rule.LISTS))).isFalse();
        assertThat(base.layOwn(change(null, 3, Rule.LISTS))).isTrue();
        assertThat(base.layOwn(change(null, 2, Rule.DENIES))).as("a later one").isFalse();
        assertThat(changes.over(null, ALICE, null)).isEqualTo(new Entry(ALICE, false));
        base.endFollowing();
        assertThat(base.layOwn(change(null, 4, Rule.DENIES))).as("by the next base").isTrue();
        assertThat(changes.over(null, ALICE, null)).isEqualTo(new Entry(ALICE, false));
        base.generation().retire();
    }

    @Test
    void shouldCountMemoryOfConditionsAndNotes() {
        Instant now = Instant.EPOCH;
        List<Rule> rules =
                List.of(
                        Rule.LISTS,
                        new Rule(false, now, null, null, Origin.ADMIN, ""),
                        new Rule(false, now, now, null, Origin.ADMIN, ""),
                        new Rule(false, now, now, AuthRequirement.SPF, Origin.ADMIN, ""),
                        new Rule(false, now, now, AuthRequirement.SPF, Origin.ADMIN, "note"),
                        new Rule(false, now, now, AuthRequirement.SPF, Origin.ADMIN, "a note"));
        List<Long> bytes = new ArrayList<>();
        rules.forEach(rule -> bytes.add(bytesOf(change(null, 1, rule))));
        assertThat(bytes).isSorted().doesNotHaveDuplicates();
        assertThat(bytes.getLast() - bytes.get(4)).isEqualTo(2);
    }

    @Test
    void shouldCopyWhatATransactionHasNotSeen() {
        changes.put(change(null, 1, Rule.LISTS));
        changes.put(change(null, 2, USERS));
        changes.put(change(BOB, 3, Rule.DENIES));
        Changes copy = new Changes(hasher);
        changes.copyUnseen(transaction -> transaction == 1, copy);
        assertThat(copy.has(change(null, 1, Rule.LISTS))).isFalse();
        assertThat(copy.has(change(null, 2, USERS))).isTrue();
        assertThat(copy.has(change(null, 3, USERS))).isFalse();
        assertThat(copy.over(null, ALICE, BOB)).isEqualTo(changes.over(null, ALICE, BOB));
        assertThat(copy.count()).isEqualTo(2);
        assertThat(copy.hasSeen(transaction -> transaction == 1)).isFalse();
        assertThat(copy.hasSeen(transaction -> transaction == 3)).isTrue();
    }
}
