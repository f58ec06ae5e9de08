package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
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
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Changes of a living list: whom their filter knows, and the memory that they are said to take.
 * What they say over a base is found by the simulation.
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
        base = SmallLists.snapshot(folder, SmallLists.TIGHT, "z@far.example");
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
    void mayHaveShouldKnowTheSendersOfChanges() {
        put(changes, ALICE, BOB, Rule.LISTS);
        assertThat(changes.hasPersonal()).isFalse();
        put(changes, ALICE, null, USERS);
        assertThat(changes.hasPersonal()).isTrue();
        assertThat(changes.mayHave(base.hasher().hash(ALICE))).isTrue();
        assertThat(changes.mayHave(base.hasher().hash(BOB))).isFalse();
    }

    @Test
    void mayHaveShouldRefuseNearlyAllStrangers() {
        List<Key> senders =
                IntStream.range(0, 100_000).mapToObj(i -> key("s" + i + "@x.example")).toList();
        senders.forEach(each -> put(changes, each, null, Rule.LISTS));
        assertThat(senders).allMatch(each -> changes.mayHave(base.hasher().hash(each)));
        // Some 410 are expected; with a bit less for each sender 1,050.
        assertThat(new SplittableRandom(1).longs(1_000_000).filter(changes::mayHave).count())
                .isLessThan(600);
    }

    @Test
    void putShouldCountAnEntryAsNewWhenTheBaseCannotBeRead() throws IOException {
        Key there = key("z@far.example");
        put(changes, there, null, Rule.LISTS);
        assertThat(changes.entries()).isZero();
        base.close();
        changes = new Changes(base);
        put(changes, there, null, Rule.LISTS);
        assertThat(changes.entries()).isEqualTo(1);
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
                .isEqualTo(listed + BOB.bytes().length + removed);
        Key longer = key("alice.longer@far.example");
        assertThat(bytesOf(longer, null) - removed).isEqualTo(".longer".length());
        Entry full = entry("a@b.org from=2026-01-01 until=2027-01-01 auth=spf note=a note");
        assertThat(bytesOf(ALICE, null, full.rules().getFirst()))
                .isEqualTo(listed + "a note".length());
        assertThat(changes.bytes()).as("the table of hashes").isPositive();
    }
}
