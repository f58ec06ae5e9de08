package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.StoreFile.key;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.tools.Builds;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Tests blocks with a right checksum and wrong content. */
class ForgedBlockTest {

    @Test
    void shouldAnswerForgedBlocksWithAnIOExceptionOrAnAnswer(@TempDir Path folder)
            throws IOException {
        forge(storeOf(folder), null, new SplittableRandom(1), 2, 40);
    }

    /** The same for entries for some recipients, of several senders. */
    @Test
    void shouldAnswerForgedEntriesForRecipientsWithAnIOExceptionOrAnAnswer(@TempDir Path folder)
            throws IOException {
        SortedMap<String, byte[]> entries = new TreeMap<>();
        for (String sender : List.of("alice\0example.com", "bob\0example.com")) {
            entries.put(sender, RulesCodec.onlyKind(RecipientKind.ADDRESS));
            for (int i = 100; i < 120; i++) {
                String domain = i % 2 == 0 ? "here.example" : "example.com";
                entries.put(sender + "\0\1user" + i + "\0" + domain, RulesCodec.PLAIN);
            }
        }
        StoreFile file =
                StoreFile.writeEncoded(
                        folder.resolve("pairs"), entries, List.of("example.com".getBytes(UTF_8)));
        forge(file, key("user113", "example.com"), new SplittableRandom(2), 2, 400);
    }

    private static void forge(
            StoreFile file, @Nullable Key to, SplittableRandom random, int tail, int head)
            throws IOException {
        Key bob = key("bob", "example.com");
        int refused = 0;
        try (StoreFile.Opened opened = file.open()) {
            assertThat(opened.store().find(bob, to)).isNotNull();
        }
        for (int i = 0; i < 20_000; i++) {
            StoreFile forged = file.withBlock(changed(file.blocks(), random, tail, head));
            try (StoreFile.Opened opened = forged.open()) {
                opened.store().find(bob, to);
                Builds.entries(opened.store());
            } catch (IOException expected) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(100);
    }

    private static StoreFile storeOf(Path folder) throws IOException {
        return StoreFile.write(
                folder.resolve("store"),
                new TreeMap<>(
                        Map.of(
                                key("alice", "example.com"), false,
                                key("bob", "example.com"), true,
                                key("bobby", "example.org"), false)),
                List.of("example.com".getBytes(UTF_8)));
    }

    /** Changes up to four bytes, in the tail of the block or in its head. */
    private static byte[] changed(byte[] original, SplittableRandom random, int tail, int head) {
        byte[] block = original.clone();
        for (int change = 1 + random.nextInt(4); change > 0; change--) {
            boolean last = random.nextInt(4) == 0;
            int at = last ? block.length - 1 - random.nextInt(tail) : random.nextInt(head);
            block[at] = (byte) random.nextInt();
        }
        return block;
    }
}
