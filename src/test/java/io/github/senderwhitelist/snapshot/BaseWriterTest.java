package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

class BaseWriterTest {
    private static final Path FILE = Path.of("/var/whitelist/test.base");
    private static final Key SAM = key("sam@here.example");

    private final MemoryDisk disk = new MemoryDisk();

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }

    private static Rule rule(boolean denied, Origin origin, String note) {
        return new Rule(denied, null, null, null, origin, note);
    }

    private static Entry entry(String sender, Key to, Rule... rules) {
        return new Entry(key(sender), to, List.of(rules));
    }

    private SnapshotHeader write(List<Entry> entries, long senders) throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(12));
        try (BaseWriter writer =
                new BaseWriter(
                        disk, FILE, options, 1, 7, entries.size(), senders, BuildProgress.NONE)) {
            for (Entry entry : entries) {
                writer.add(entry);
            }
            return writer.finish(4711, "the feed".getBytes(UTF_8));
        }
    }

    private List<Entry> read() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (Snapshot snapshot = Snapshot.open(disk, FILE)) {
            assertThat(snapshot.feed()).asString(UTF_8).isEqualTo("the feed");
            BlockStore store = Objects.requireNonNull(snapshot.store());
            store.forEach(entries::add);
        }
        return entries;
    }

    @Test
    void shouldHoldNothing() throws IOException {
        assertThat(write(List.of(), -1).entries()).isZero();
        assertThat(read()).isEmpty();
        try (Snapshot snapshot = Snapshot.open(disk, FILE, 1 << 20)) {
            BlockStore store = Objects.requireNonNull(snapshot.store());
            assertThat(store.find(key("a@example.com"), null)).isNull();
        }
    }

    @Test
    void shouldKeepEveryLineOfEveryOrigin() throws IOException {
        Rule denies = rule(true, Origin.ADMIN, "");
        Rule lists = rule(false, Origin.ADMIN, "once");
        Rule users = rule(true, Origin.USER, "");
        Rule learned = rule(false, Origin.LEARNED, "");
        SnapshotHeader header =
                write(List.of(entry("a@example.com", SAM, lists, denies, learned, users)), -1);
        assertThat(header.denied()).isEqualTo(1);
        assertThat(header.personal()).isEqualTo(1);
        assertThat(header.buildTime()).isEqualTo(4711);
        assertThat(read())
                .hasSize(2)
                .last()
                .satisfies(
                        entry ->
                                assertThat(entry.rules())
                                        .containsExactlyInAnyOrder(denies, lists, users, learned));
    }

    @Test
    void shouldNameTheKindsOfRecipientsOfASender() throws IOException {
        Key domain = Key.of(new byte[0], "here.example".getBytes(UTF_8));
        Rule plain = rule(false, Origin.ADMIN, "");
        write(
                List.of(
                        entry("a@example.com", SAM, plain),
                        entry("a@example.com", domain, plain),
                        new Entry(key("b@example.com"), null, List.of(plain)),
                        entry("b@example.com", domain, plain),
                        new Entry(key("c@example.com"), null, List.of(plain))),
                3);
        assertThat(read())
                .extracting(Entry::kinds)
                .containsExactly(
                        EnumSet.of(RecipientKind.ADDRESS, RecipientKind.DOMAIN),
                        Set.of(),
                        Set.of(),
                        EnumSet.of(RecipientKind.DOMAIN),
                        Set.of(),
                        Set.of());
    }

    @Test
    void shouldFilterForAllSendersHoweverManyWereExpected() throws IOException {
        for (long expected : new long[] {-1, 40_000, 40_900, 200_000, 3}) {
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < 40_000; i++) {
                String sender = String.format(Locale.ROOT, "user%06d@example%d.com", i, i % 7);
                entries.add(entry(sender, SAM, Rule.LISTS));
            }
            SnapshotHeader header = write(entries, expected);
            assertThat(header.addresses()).isEqualTo(40_000);
            assertThat(header.pairs()).isEqualTo(40_000);
            try (Snapshot snapshot = Snapshot.open(disk, FILE)) {
                assertThat(entries)
                        .allMatch(
                                entry ->
                                        snapshot.addressFilter()
                                                .mightContain(snapshot.hasher().hash(entry.key())));
            }
        }
    }

    @Test
    void shouldAssumeAllKindsOfASenderWithVeryManyRecipients() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            String user = String.format(Locale.ROOT, "user%05d@here.example", i);
            entries.add(entry("a@example.com", key(user), Rule.LISTS));
        }
        entries.add(entry("b@example.com", SAM, Rule.LISTS));
        write(entries, 2);
        List<Entry> read = read();
        assertThat(read).hasSize(30_003);
        assertThat(read.getFirst().kinds()).isEqualTo(EnumSet.allOf(RecipientKind.class));
        assertThat(read.get(30_001).kinds()).isEqualTo(Set.of(RecipientKind.ADDRESS));
    }

    @Test
    void shouldRefuseAnEntryThatIsTooLarge() {
        Rule[] rules = new Rule[8];
        for (int i = 0; i < rules.length; i++) {
            rules[i] = rule(false, Origin.ADMIN, i + "x".repeat(200));
        }
        Entry large = entry("a@example.com", SAM, rules);
        assertThat(BaseWriter.fits(large.rules())).isFalse();
        assertThatThrownBy(() -> write(List.of(large), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
