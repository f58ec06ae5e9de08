package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.living.EntryTable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;

class StoreHeaderTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir private Path folder;

    private Path file() {
        return folder.resolve("lists.mv.db");
    }

    /** Makes a list, and returns the file as a kill would leave it after so many changes. */
    private byte[] killedAfter(int changes) throws IOException {
        try (Database database = Database.h2(folder.resolve("lists"), TIMEOUT)) {
            EntryTable table = database.table("vip");
            for (int i = 0; i < changes; i++) {
                table.put(entry("sender" + i + "@example.com note=" + changes), "test");
            }
            return Files.readAllBytes(file());
        }
    }

    private static String text(byte[] bytes, int copy) {
        int from = copy * ChunkFiles.BLOCK;
        return new String(bytes, from, ChunkFiles.BLOCK, ISO_8859_1).trim();
    }

    private static long version(byte[] bytes) {
        String text = text(bytes, 0);
        int from = text.indexOf("version:") + "version:".length();
        return Long.parseLong(text.substring(from, text.indexOf(',', from)), 16);
    }

    private byte[] afterNaming(byte[] bytes) throws IOException {
        Files.write(file(), bytes);
        try (FileChannel channel = open()) {
            StoreHeader header = StoreHeader.read(channel);
            if (header != null && !header.isClosed()) {
                header.nameNewest();
            }
        }
        return Files.readAllBytes(file());
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Test
    void shouldNameTheNewestChunkThatIsWhole() throws IOException {
        killedAfter(3);
        byte[] before = killedAfter(5);
        byte[] after = killedAfter(40);
        byte[] newest = afterNaming(after);
        byte[] behind = after.clone();
        System.arraycopy(before, 0, behind, 0, StoreHeader.LENGTH);

        assertThat(version(behind)).isLessThan(version(newest));
        assertThat(afterNaming(behind)).isEqualTo(newest);
        assertThat(text(newest, 0)).isEqualTo(text(newest, 1)).doesNotContain("clean");
        assertThat(newest.length).isEqualTo(after.length);
        assertThat(
                        Arrays.equals(
                                newest,
                                StoreHeader.LENGTH,
                                newest.length,
                                after,
                                StoreHeader.LENGTH,
                                after.length))
                .isTrue();
    }

    @Test
    void shouldNotNameAChunkWithoutAnEnd() throws IOException {
        byte[] whole = afterNaming(killedAfter(40));
        String header = text(whole, 0);
        int from = header.indexOf("block:") + "block:".length();
        int block = Integer.parseInt(header.substring(from, header.indexOf(',', from)), 16);
        String head = new String(whole, block * ChunkFiles.BLOCK, 100, ISO_8859_1);
        int of = head.indexOf("len:") + "len:".length();
        int blocks = Integer.parseInt(head.substring(of, head.indexOf(',', of)), 16);
        byte[] cut = whole.clone();
        int end = (block + blocks) * ChunkFiles.BLOCK;
        Arrays.fill(cut, end - 100, end, (byte) 0);

        assertThat(version(afterNaming(cut))).isLessThan(version(whole));
    }

    @Test
    void shouldOnlyChangeThatTheFileWasClosed() throws IOException {
        killedAfter(3);
        byte[] closed = Files.readAllBytes(file());
        assertThat(text(closed, 0)).contains(",clean:1,");
        assertThat(afterNaming(closed)).isEqualTo(closed);
        try (FileChannel channel = open()) {
            Objects.requireNonNull(StoreHeader.read(channel)).markOpen();
        }
        byte[] open = Files.readAllBytes(file());
        String without = text(closed, 0).replace(",clean:1", "");
        int checked = without.lastIndexOf(':');
        assertThat(text(open, 0)).startsWith(without.substring(0, checked));
        assertThat(text(open, 1)).isEqualTo(text(open, 0));
        assertThat(afterNaming(open)).isEqualTo(open);
        assertThat(killedAfter(0)).isNotEmpty();
    }

    /** A kill while a process closes the file, or while the next one opens it, leaves both. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldNotLeaveAHeaderThatSaysThatTheFileWasClosed(int closedCopy) throws IOException {
        killedAfter(3);
        byte[] both = Files.readAllBytes(file());
        try (FileChannel channel = open()) {
            Objects.requireNonNull(StoreHeader.read(channel)).markOpen();
        }
        byte[] open = Files.readAllBytes(file());
        System.arraycopy(open, 0, both, (1 - closedCopy) * ChunkFiles.BLOCK, ChunkFiles.BLOCK);
        assertThat(text(both, closedCopy)).contains(",clean:1,");

        assertThat(afterNaming(both)).isEqualTo(open);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 8191, 8192})
    void shouldTakeAFileOfZerosAsANewOne(int length) throws IOException {
        Files.write(file(), new byte[length]);
        assertThat(killedAfter(3).length).isGreaterThan(StoreHeader.LENGTH);
    }

    @Test
    void shouldTakeAFileWithHalfAHeaderAsANewOne() throws IOException {
        byte[] begun = Arrays.copyOf(killedAfter(3), ChunkFiles.BLOCK);
        Files.write(file(), begun);
        killedAfter(3);
        Files.writeString(file(), "notes of the administrator");
        assertThatIOException().isThrownBy(() -> killedAfter(3));
        assertThat(file()).hasContent("notes of the administrator");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "7fffffffffffffff", "ffffffffffffffff", "8000000000000", "x"})
    void shouldNotFollowALengthThatMakesNoSense(String length) throws IOException {
        byte[] whole = killedAfter(20);
        byte[] more = Arrays.copyOf(whole, whole.length + 2 * ChunkFiles.BLOCK);
        byte[] head = ("chunk:ff,len:" + length + ",version:fffff\n").getBytes(ISO_8859_1);
        System.arraycopy(head, 0, more, whole.length, head.length);
        assertThat(version(afterNaming(more))).isEqualTo(version(afterNaming(whole)));
    }

    @Test
    void shouldTakeAnyBytes() throws IOException {
        byte[] whole = killedAfter(20);
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 300; round++) {
            byte[] damaged = Arrays.copyOf(whole, random.nextInt(whole.length));
            for (int left = random.nextInt(40); left > 0 && damaged.length > 0; left--) {
                int block = random.nextInt(damaged.length) / ChunkFiles.BLOCK;
                int at = block * ChunkFiles.BLOCK + random.nextInt(200);
                if (at < damaged.length) {
                    damaged[at] = (byte) random.nextInt();
                }
            }
            assertThat(afterNaming(damaged).length).isIn(damaged.length, StoreHeader.LENGTH);
        }
    }
}
