package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Changes of a living list: what they say over a base, and the memory that they are said to take.
 */
class ChangesTest {
    private static final Key ALICE = key("alice@far.example");
    private static final Key BOB = key("bob@here.example");
    private static final Rule USERS = new Rule(false, null, null, null, Origin.USER, "");

    @TempDir private Path folder;
    private Snapshot base;
    private Changes changes;

    @BeforeEach
    void open() throws IOException {
        base =
                SmallLists.snapshot(
                        folder, SmallLists.TIGHT, "z@far.example", "y@far.example to=" + BOB);
        changes = new Changes(base);
    }

    @AfterEach
    void close() throws IOException {
        base.close();
    }

    private static void put(Changes changes, Key sender, @Nullable Key to, Rule... rules) {
        changes.put(new Entry(sender, to, List.of(rules)));
    }

    @Test
    void overShouldHaveTheLastChange() {
        put(changes, ALICE, null, Rule.DENIES);
        assertThat(changes.over(null, ALICE, null)).isEqualTo(new Entry(ALICE, true));
        put(changes, ALICE, null, Rule.LISTS);
        assertThat(changes.over(entry("!alice@far.example"), ALICE, null))
                .isEqualTo(new Entry(ALICE, false));
        put(changes, ALICE, null);
        assertThat(changes.over(new Entry(ALICE, true), ALICE, null)).isNull();
        assertThat(changes.count()).isEqualTo(1);
    }

    @Test
    void mayHaveShouldKnowTheSendersOfChanges() {
        put(changes, ALICE, BOB, Rule.LISTS);
        assertThat(changes.hasPersonal()).isFalse();
        put(changes, ALICE, null, USERS);
        assertThat(changes.hasPersonal()).isTrue();
        assertThat(changes.mayHave(base.hasher().hash(ALICE))).isTrue();
        assertThat(changes.mayHave(base.hasher().hash(BOB))).isFalse();
    }

    /** Invariant 13: kinds say too much, never too little. */
    @Test
    void overShouldHaveTheKindsOfRecipientsOfASender() {
        put(changes, ALICE, BOB, Rule.LISTS);
        put(changes, ALICE, key("@b"), Rule.LISTS);
        put(changes, ALICE, key("@b"));
        Entry head = Objects.requireNonNull(changes.over(null, ALICE, null));
        assertThat(head.rules()).isEmpty();
        assertThat(head.kinds())
                .containsExactlyInAnyOrder(RecipientKind.ADDRESS, RecipientKind.DOMAIN);
    }

    @Test
    void entriesShouldCountWhatTheBaseHasNot() {
        put(changes, key("z@far.example"), null, Rule.DENIES);
        assertThat(changes.entries()).as("there before").isZero();
        put(changes, ALICE, null, Rule.LISTS);
        put(changes, ALICE, BOB, Rule.LISTS);
        assertThat(changes.entries()).isEqualTo(2);
        put(changes, ALICE, BOB);
        put(changes, ALICE, null);
        put(changes, key("y@far.example"), BOB);
        put(changes, key("z@far.example"), null);
        put(changes, key("nobody@far.example"), null);
        assertThat(changes.entries()).as("two of the base are gone").isEqualTo(-2);
    }

    @Test
    void putNewerShouldTakeWhatWasNotCopied() {
        put(changes, ALICE, null, Rule.LISTS);
        put(changes, ALICE, BOB, USERS);
        var frozen = changes.frozen();
        put(changes, ALICE, null, Rule.DENIES);
        put(changes, BOB, ALICE, Rule.LISTS);
        Changes next = new Changes(base);
        next.putNewer(changes, frozen);
        assertThat(next.over(null, ALICE, BOB)).isNull();
        assertThat(next.over(null, ALICE, null))
                .satisfies(
                        entry ->
                                assertThat(Objects.requireNonNull(entry).rules())
                                        .containsExactly(Rule.DENIES));
        assertThat(next.over(null, BOB, ALICE)).isNotNull();
        assertThat(next.count()).isEqualTo(2);
    }

    private long bytesOf(Key sender, @Nullable Key to, Rule... rules) {
        Changes fresh = new Changes(base);
        put(fresh, sender, to, rules);
        put(fresh, sender, to, rules);
        return fresh.bytes() - new Changes(base).bytes();
    }

    /** The memory decides when changes are merged, and when a server has too many. */
    @Test
    void bytesShouldGrowWithKeysAndRules() {
        long removed = bytesOf(ALICE, null);
        long listed = bytesOf(ALICE, null, Rule.LISTS);
        assertThat(removed).isPositive();
        assertThat(listed).isGreaterThan(removed);
        assertThat(bytesOf(ALICE, BOB, Rule.LISTS))
                .as("a place for the recipient, and one for the kind of recipients")
                .isGreaterThan(listed + ALICE.bytes().length + BOB.bytes().length);
        Key longer = key("alice.longer@far.example");
        assertThat(bytesOf(longer, null) - removed).isEqualTo(".longer".length());
        Entry full = entry("a@b.org from=2026-01-01 until=2027-01-01 auth=spf note=a note");
        assertThat(bytesOf(ALICE, null, full.rules().getFirst()))
                .isEqualTo(listed + "a note".length());
        assertThat(changes.bytes()).as("the table of hashes").isPositive();
    }
}
