package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.coding.BitWriter;
import io.github.senderwhitelist.coding.ContextCounts;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Tests codes, dictionaries and blocks whose checksums are right and which nobody wrote. */
class ForgedCodesTest {
    private static final long SALT = 9;
    private static final int ROUNDS = 300;
    private static final Duration LONG = Duration.ofMinutes(2);

    /** Keys that are asked for, beside those that a walk hands out. */
    private static final List<String> PARTS = List.of("", "a", "b", "bb", "info", "z\u00e9");

    @TempDir private Path folder;

    /** Ways to choose the tables of a code. */
    enum Tables {
        /** All tables have the same symbol, and no other, as far as the code has it. */
        ONE_SYMBOL {
            @Override
            byte[] lengths(SplittableRandom random, int symbols, int chosen) {
                return alone(symbols, Math.min(chosen, symbols - 1));
            }
        },
        /** Each table has only one symbol. */
        ONE_SYMBOL_EACH {
            @Override
            byte[] lengths(SplittableRandom random, int symbols, int chosen) {
                return alone(symbols, random.nextInt(symbols));
            }
        },
        /** Each table has some symbols or one. */
        SOME_SYMBOLS {
            @Override
            byte[] lengths(SplittableRandom random, int symbols, int chosen) {
                ContextCounts counts = new ContextCounts(1, symbols);
                counts.add(0, 0, 1 + random.nextInt(9));
                for (int i = random.nextInt(9); i > 0; i--) {
                    counts.add(0, random.nextInt(1 + random.nextInt(symbols)));
                }
                ByteArrayOutputStream serial = new ByteArrayOutputStream();
                counts.code(new int[1], 1, 0).write(serial);
                ByteBuffer form = ByteBuffer.wrap(serial.toByteArray()).position(1);
                assertThat(runs(form, 1)).containsOnly(0);
                return runs(form, symbols);
            }
        };

        abstract byte[] lengths(SplittableRandom random, int symbols, int chosen);

        static byte[] alone(int symbols, int symbol) {
            byte[] lengths = new byte[symbols];
            lengths[symbol] = (byte) 255;
            return lengths;
        }
    }

    private static byte[] codes(SplittableRandom random, Tables tables) {
        ByteArrayOutputStream serial = new ByteArrayOutputStream();
        List<byte[]> rules = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            rules.add(
                    switch (random.nextInt(4)) {
                        case 0 -> RulesCodec.PLAIN;
                        case 1 -> RulesCodec.onlyKind(RecipientKind.ADDRESS);
                        case 2 -> new byte[] {7, 1, (byte) random.nextInt(16)};
                        default -> new byte[] {(byte) random.nextInt(8), (byte) random.nextInt(3)};
                    });
        }
        serial.write(rules.size());
        for (byte[] bytes : rules) {
            serial.write(bytes.length);
            serial.write(0);
            serial.writeBytes(bytes);
        }
        int chosen = random.nextInt(70);
        for (Field field : Field.values()) {
            int count = 1 + random.nextInt(4);
            serial.write(count);
            for (int context = 0; context < field.contexts; context++) {
                serial.write(random.nextInt(count));
                serial.write(1);
            }
            for (int table = 0; table < count; table++) {
                write(
                        serial,
                        field.inOrder()
                                ? inOrder(random, field.symbols)
                                : tables.lengths(random, field.symbols, chosen));
            }
        }
        // Two domains as bytes, each after a bit: "a" and "info".
        BitWriter domains = new BitWriter(20);
        domains.put(2, 31);
        domains.put(0, 1);
        for (String domain : List.of("a", "info")) {
            domains.put(1 | domain.length() << 1, 9);
            for (byte b : domain.getBytes(ISO_8859_1)) {
                domains.put(b, 8);
            }
        }
        serial.writeBytes(domains.bytes());
        return serial.toByteArray();
    }

    /** Returns the lengths of some code in order, which needs all symbols. */
    private static byte[] inOrder(SplittableRandom random, int symbols) {
        ContextCounts counts = new ContextCounts(1, symbols);
        for (int i = random.nextInt(99); i > 0; i--) {
            counts.add(0, random.nextInt(1 + random.nextInt(symbols)));
        }
        ByteArrayOutputStream serial = new ByteArrayOutputStream();
        counts.codeInOrder(new int[1], 1).write(serial);
        ByteBuffer form = ByteBuffer.wrap(serial.toByteArray()).position(1);
        assertThat(runs(form, 1)).containsOnly(0);
        return runs(form, symbols);
    }

    /** Writes bytes as runs of one. */
    private static void write(ByteArrayOutputStream serial, byte[] bytes) {
        for (byte b : bytes) {
            serial.write(b);
            serial.write(1);
        }
    }

    private static byte[] runs(ByteBuffer in, int count) {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count; ) {
            byte value = in.get();
            int end = at + (in.get() & 0xff);
            Arrays.fill(bytes, at, end, value);
            at = end;
        }
        return bytes;
    }

    /** Returns a block of any bits with a right checksum. */
    private static byte[] block(SplittableRandom random) {
        byte[] block = new byte[BlockFormat.SIZE];
        if (random.nextInt(4) > 0) {
            random.nextBytes(block);
        }
        if (random.nextInt(4) > 0) {
            block[0] = (byte) random.nextInt(3);
            block[1] = (byte) (random.nextBoolean() ? 'a' : 0);
            block[2] = (byte) random.nextInt(3);
        }
        int groups = random.nextInt(1 + random.nextInt(1 + random.nextInt(600)));
        int offset = 8 * (1 + (block[0] & 0xff));
        for (int group = 0; group < groups; group++) {
            int at = BlockFormat.END_AT - BlockFormat.GROUP_BYTES * (groups - group);
            int head = random.nextInt(1 + random.nextInt(1 << Head.BITS));
            if (at >= 0 && random.nextInt(20) > 0) {
                BlockFormat.putGroup(block, at, offset & 0x3fff, head);
            }
            offset += random.nextInt(1 + random.nextInt(3000));
        }
        BlockFormat.putShort(block, BlockFormat.END_AT, offset);
        BlockFormat.putShort(block, BlockFormat.GROUPS_AT, groups);
        int checksum = BlockFormat.checksum(block, SALT, 0);
        BlockFormat.putInt(block, BlockFormat.CRC_AT, checksum);
        return block;
    }

    /** Opens a store and asks it for everything. Returns how many entries it had. */
    private int use(byte[] block, byte[] dictionary) throws IOException {
        Path path = folder.resolve("forged");
        Files.write(path, block);
        int[] visited = {0};
        try (DiskFile file = Disk.LOCAL.open(path)) {
            BlockStore store =
                    BlockStore.open(
                            file,
                            path,
                            0,
                            1,
                            SALT,
                            ByteBuffer.wrap(dictionary).order(Serial.ORDER),
                            ByteBuffer.wrap(new byte[2]).order(Serial.ORDER));
            List<Entry> some = new ArrayList<>();
            refusing(
                    () ->
                            store.forEach(
                                    entry -> {
                                        if (visited[0]++ % 16 == 0) {
                                            some.add(entry);
                                        }
                                    }));
            for (Entry entry : some) {
                refusing(() -> store.find(entry.key(), entry.to()));
            }
            for (String local : PARTS) {
                Key key = StoreFile.key(local, "info");
                refusing(() -> store.find(key));
                refusing(() -> store.find(StoreFile.key("a", "a"), key));
            }
        }
        return visited[0];
    }

    /** Something that a store may refuse to do. */
    private interface Deed {
        void run() throws IOException;
    }

    private static void refusing(Deed deed) {
        try {
            deed.run();
        } catch (IOException expected) {
            assertThat(expected).message().isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAnswerWithAnIOExceptionOrAnAnswer(Tables tables) {
        SplittableRandom random = new SplittableRandom(3);
        assertTimeoutPreemptively(
                LONG,
                () -> {
                    int entries = 0;
                    for (int round = 0; round < ROUNDS; round++) {
                        entries += use(block(random), codes(random, tables));
                    }
                    // Hardly any entry ends where each table has another symbol only.
                    assertThat(tables == Tables.ONE_SYMBOL_EACH || entries > 0).isTrue();
                });
    }

    /** Changes the codes of a store, each to one that is complete. */
    @Test
    void shouldAnswerForgedCodesOfARealStore() throws IOException {
        SplittableRandom random = new SplittableRandom(4);
        SortedMap<String, byte[]> entries = new TreeMap<>();
        for (String sender : List.of("a\0info", "bb\0\u00e9", "info\0a", "\0.a", "z\u00e9\0xy")) {
            entries.put(sender, new byte[] {7, 1, 15});
            for (int i = 0; i < 9; i++) {
                entries.put(sender + "\0\1user" + i * i + "\0a", RulesCodec.PLAIN);
                entries.put(sender + "\0\2\0d" + i, new byte[] {1, 0});
                entries.put(sender + "\0\3\0.d" + i, new byte[] {6, 1, (byte) ('a' + i)});
            }
        }
        StoreFile file =
                StoreFile.writeEncoded(
                        folder.resolve("real"),
                        entries,
                        List.of("a".getBytes(ISO_8859_1), "info".getBytes(ISO_8859_1)),
                        SALT);
        assertThat(file.blockCount()).isEqualTo(1);
        assertThat(use(file.blocks(), file.dictionary())).isEqualTo(entries.size());
        assertTimeoutPreemptively(
                LONG,
                () -> {
                    int[] visited = {0};
                    for (int round = 0; round < ROUNDS; round++) {
                        byte[] changed = file.dictionary();
                        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                            changed = changed(changed, random);
                        }
                        byte[] forged = changed;
                        refusing(() -> visited[0] += use(file.blocks(), forged));
                    }
                    assertThat(visited[0]).isPositive();
                });
    }

    /** Changes a table of a code, or the table of a context. */
    private static byte[] changed(byte[] dictionary, SplittableRandom random) {
        ByteBuffer in = ByteBuffer.wrap(dictionary).order(Serial.ORDER).position(1);
        for (int rules = dictionary[0]; rules > 0; rules--) {
            int length = in.getShort();
            in.position(in.position() + length);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(dictionary, 0, in.position());
        List<Field> fields = List.of(Field.values());
        Field wanted = fields.get(random.nextInt(fields.size()));
        for (Field field : fields) {
            int count = in.get();
            byte[] tableOf = runs(in, field.contexts);
            byte[] lengths = runs(in, count * field.symbols);
            if (field == wanted) {
                int table = random.nextInt(count) * field.symbols;
                int one = table + random.nextInt(field.symbols);
                int other = table + random.nextInt(field.symbols);
                switch (random.nextInt(3)) {
                    case 0 ->
                            tableOf[random.nextInt(field.contexts)] = (byte) random.nextInt(count);
                    case 1 -> {
                        Arrays.fill(lengths, table, table + field.symbols, (byte) 0);
                        lengths[one] = (byte) 255;
                    }
                    default -> {
                        byte before = lengths[one];
                        lengths[one] = lengths[other];
                        lengths[other] = before;
                    }
                }
            }
            out.write(count);
            write(out, tableOf);
            write(out, lengths);
        }
        out.write(dictionary, in.position(), in.remaining());
        return out.toByteArray();
    }
}
