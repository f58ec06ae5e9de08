package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.StoreFile.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Tests blocks with a right checksum and wrong content, and a store that is closed. */
class ForgedBlockTest {

    @Test
    void shouldAnswerForgedBlocksWithAnIOExceptionOrAnAnswer(@TempDir Path folder)
            throws IOException {
        StoreFile file = storeOf(folder);
        SplittableRandom random = new SplittableRandom(1);
        int refused = 0;
        try (StoreFile.Opened opened = file.open();
                RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            BlockStore store = opened.store();
            for (int i = 0; i < 20_000; i++) {
                forge(disk, changed(file.blocks(), random, 8, 40));
                try {
                    store.find(key("bob", "example.com"));
                    store.forEach(entry -> {});
                } catch (IOException expected) {
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(100);
    }

    /** The same for entries for some recipients, of several senders. */
    @Test
    void shouldAnswerForgedEntriesForRecipientsWithAnIOExceptionOrAnAnswer(@TempDir Path folder)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[StoreFile.START]);
        BlockStoreWriter writer =
                new BlockStoreWriter(
                        out,
                        List.of("example.com".getBytes(UTF_8)),
                        9,
                        42,
                        new Scratch(Disk.LOCAL, folder));
        for (String sender : List.of("alice", "bob")) {
            byte[] own = SortKey.of(key(sender, "example.com"));
            writer.append(own, own.length, RulesCodec.onlyKind(RecipientKind.ADDRESS), -1);
            for (int i = 100; i < 120; i++) {
                Key to = key("user" + i, i % 2 == 0 ? "here.example" : "example.com");
                byte[] pair = SortKey.of(key(sender, "example.com"), to);
                writer.append(pair, pair.length, RulesCodec.PLAIN, -1);
            }
        }
        writer.finish(1, written -> {});
        Files.write(folder.resolve("pairs"), out.toByteArray());
        byte[] blocks =
                Arrays.copyOfRange(
                        out.toByteArray(), StoreFile.START, StoreFile.START + BlockFormat.SIZE);
        StoreFile file =
                new StoreFile(
                        folder.resolve("pairs"), blocks, writer.dictionary(), writer.index(), 9);
        Key to = key("user113", "example.com");
        SplittableRandom random = new SplittableRandom(2);
        int refused = 0;
        try (StoreFile.Opened opened = file.open();
                RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            BlockStore store = opened.store();
            assertThat(store.find(key("bob", "example.com"), to)).isNotNull();
            for (int i = 0; i < 20_000; i++) {
                forge(disk, changed(blocks, random, 12, 400));
                try {
                    store.find(key("bob", "example.com"), to);
                    store.forEach(entry -> {});
                } catch (IOException expected) {
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(100);
    }

    @Test
    void shouldRefuseToAnswerWhenClosed(@TempDir Path folder) throws IOException {
        StoreFile.Opened opened = storeOf(folder).open();
        BlockStore store = opened.store();
        opened.close();
        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () ->
                        assertThatThrownBy(() -> store.find(key("bob", "example.com")))
                                .isInstanceOf(IOException.class));
    }

    private static StoreFile storeOf(Path folder) throws IOException {
        return StoreFile.write(
                folder.resolve("store"),
                new TreeMap<>(
                        Map.of(
                                key("alice", "example.com"), false,
                                key("bob", "example.com"), true,
                                key("bobby", "example.org"), false)),
                List.of("example.com".getBytes(UTF_8)),
                9);
    }

    /** Changes up to four bytes, in the tail of the block or in its head. */
    private static byte[] changed(byte[] original, SplittableRandom random, int tail, int head) {
        byte[] block = original.clone();
        for (int change = 1 + random.nextInt(4); change > 0; change--) {
            boolean last = random.nextInt(4) == 0;
            int at = last ? block.length - 5 - random.nextInt(tail) : random.nextInt(head);
            block[at] = (byte) random.nextInt();
        }
        return block;
    }

    /** Writes the block with a right checksum. */
    private static void forge(RandomAccessFile disk, byte[] block) throws IOException {
        BlockFormat.putInt(block, BlockFormat.CRC_AT, BlockFormat.checksum(block, 9, 0));
        disk.seek(StoreFile.START);
        disk.write(block);
    }
}
