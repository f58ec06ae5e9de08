package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

class SnapshotWriterTest {
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

    private SnapshotHeader write(List<Entry> entries) throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(12));
        try (SnapshotWriter writer = SnapshotWriter.ofBase(disk, FILE, options, 7)) {
            for (Entry entry : entries) {
                writer.add(entry);
            }
            return writer.finish(4711, "the feed".getBytes(UTF_8));
        }
    }

    private List<Entry> read() throws IOException {
        try (Snapshot snapshot = Snapshot.open(disk, FILE)) {
            assertThat(snapshot.feed()).asString(UTF_8).isEqualTo("the feed");
            return Builds.entries(snapshot.store());
        }
    }

    @Test
    void shouldHoldNothing() throws IOException {
        assertThat(write(List.of()).entries()).isZero();
        assertThat(read()).isEmpty();
        try (Snapshot snapshot = Snapshot.open(disk.open(FILE), FILE, 1 << 20)) {
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
                write(List.of(entry("a@example.com", SAM, lists, denies, learned, users)));
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

    private byte[] bytes() throws IOException {
        try (DiskFile file = disk.open(FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readFully(bytes, 0);
            return bytes.array();
        }
    }

    /** Lists and bases have the same writer, to which entries come in any order. */
    @Test
    void shouldHaveTheBytesOfATextListOfTheSameEntries() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        Set<String> lines = new TreeSet<>();
        List<Entry> entries = new ArrayList<>();
        for (RandomLines kind : RandomLines.values()) {
            lines.addAll(kind.lines(random, 200));
        }
        for (String line : lines) {
            entries.add(((ListLine.Good) ListLine.parse(line)).entry());
        }
        Collections.shuffle(entries, new Random(1));
        write(entries);
        byte[] base = bytes();
        byte[] text = String.join("\n", lines).getBytes(UTF_8);
        Builds.of(new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(12)), 7)
                .on(disk)
                .build(text, FILE);
        byte[] list = bytes();
        int start = SnapshotHeader.SIZE;
        assertThat(start + Arrays.mismatch(base, start, base.length, list, start, list.length))
                .as("only the feed is more")
                .isEqualTo(list.length);
    }
}
