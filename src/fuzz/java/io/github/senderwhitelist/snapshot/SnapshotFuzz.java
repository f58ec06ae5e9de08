package io.github.senderwhitelist.snapshot;

import static io.github.senderwhitelist.FuzzText.require;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.FuzzText;
import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.tools.Builds;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * The reader of snapshots, given a good one with changes. It refuses the file, or answers what the
 * good one answers, or says that it cannot. Where the changes come with right checksums (somebody
 * made the file so), it may answer what its export says, and nothing worse.
 *
 * <p>First byte: which checksums are put right, a bit for each {@link Part}. Then changes: the part
 * (u8), where in it (u16), how many bytes (u8, at most 16), and the bytes; part {@code LENGTH} cuts
 * the file off there, or makes it that much longer.
 */
public final class SnapshotFuzz {
    /** The part of the file that a change is made in. */
    private enum Part {
        BLOCKS(1),
        RANKS(2),
        INDEX(4),
        ADDRESS_FILTER(8),
        DOMAIN_FILTER(16),
        HEADER(32),
        LENGTH(64);

        final int bit;

        Part(int bit) {
            this.bit = bit;
        }
    }

    private static final Part[] PARTS = Part.values();
    private static final int SECTIONS_AT = 160;
    private static final int SECTION = 24;
    private static final int LENGTH_AT = 16;

    /** The bytes that opening may allocate in addition to the length of the file. */
    private static final long ALLOWANCE = 1 << 20;

    /** How many of the keys are asked for with each input, and how far apart. */
    private static final int ASKED = 25;

    private static final int STEP = 17;

    /** The bytes that a question may allocate. */
    private static final long MOST_FOR_A_QUESTION = 1 << 20;

    private static final List<RandomLines> OTHERS =
            List.of(
                    RandomLines.GENERATED,
                    RandomLines.KNOWN,
                    RandomLines.MIXED,
                    RandomLines.NOTES,
                    RandomLines.QUOTED,
                    RandomLines.BEYOND_ASCII,
                    RandomLines.LONG_LOCAL_PARTS);

    private static final Path FILE;
    private static final byte[] GOOD;
    private static final SnapshotHeader HEADER;
    private static final Map<Asked, Entry> ENTRIES;
    private static final List<Asked> KEYS;
    private static final List<Asked> STRANGERS =
            List.of(
                    new Asked(key("stranger@elsewhere.example"), null),
                    new Asked(key("user7@example.org"), null),
                    new Asked(key("user@d1.org"), null),
                    new Asked(key("noreply@git.example"), key("user@d1.org")),
                    new Asked(key("user2@d2.example"), key("user4@d4.example")));

    /** A question to the store: for a sender and some recipients, or all if that is null. */
    private record Asked(Key key, @Nullable Key to) {}

    static {
        try {
            Path folder = Files.createTempDirectory("snapshot-fuzz-");
            FILE = folder.resolve("fuzzed.swl");
            folder.toFile().deleteOnExit();
            FILE.toFile().deleteOnExit();
            build();
            GOOD = Files.readAllBytes(FILE);
            HEADER = Snapshot.readHeader(Disk.LOCAL, FILE);
            ENTRIES = export();
            KEYS =
                    ENTRIES.values().stream()
                            .sorted(Entry.ORDER)
                            .map(entry -> new Asked(entry.key(), entry.to()))
                            .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SnapshotFuzz() {}

    private static Key key(String address) {
        return ((Address) AddressSyntax.parse(address)).key();
    }

    private static void build() throws IOException {
        StringBuilder list = new StringBuilder("@list.example\n@.sub.example\n!@not.example\n");
        for (int i = 0; i < 400; i++) {
            list.append(i % 50 == 0 ? "!" : "").append("user").append(i);
            list.append(i % 3 == 0 ? ".name" : "").append(i % 40 == 1 ? "é" : "");
            list.append("@d").append(i % 7 == 0 ? i : i % 5).append(".example\n");
        }
        for (int i = 0; i < 300; i++) {
            String sender = i % 3 == 0 ? "noreply@git.example" : "user" + i % 20 + "@d2.example";
            list.append(i % 31 == 0 ? "!" : "").append(sender).append(" to=");
            list.append(i % 29 == 0 ? "" : i % 17 == 0 ? "." : "user" + i);
            list.append("@d").append(i % 11).append(".example");
            list.append(i % 13 == 0 ? " until=2090-01-01\n" : "\n");
        }
        SplittableRandom random = new SplittableRandom(1);
        for (RandomLines kind : OTHERS) {
            kind.lines(random, 60).forEach(line -> list.append(line).append('\n'));
        }
        byte[] bytes = list.toString().replace(".@", "@.").getBytes(UTF_8);
        Builds.of(new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.01)), 1)
                .build(bytes, FILE);
    }

    private static Map<Asked, Entry> export() throws IOException {
        Map<Asked, Entry> entries = new HashMap<>();
        try (Snapshot snapshot = Snapshot.openStore(Disk.LOCAL.open(FILE), FILE)) {
            Builds.entries(snapshot.store())
                    .forEach(entry -> entries.put(new Asked(entry.key(), entry.to()), entry));
        }
        return entries;
    }

    /** Returns the input that changes one byte of a part and puts all checksums right. */
    static byte[] forged(int part, int where, int value) {
        int all = 0;
        for (Part each : PARTS) {
            all |= each == Part.LENGTH ? 0 : each.bit;
        }
        return new byte[] {
            (byte) all, (byte) part, (byte) (where >>> 8), (byte) where, 1, (byte) value
        };
    }

    /** Returns the bytes of the part of the good snapshot: 0 blocks, 1 ranks, 2 index. */
    static byte[] good(int part) {
        Section section = section(PARTS[part]);
        int from = (int) section.offset();
        return Arrays.copyOfRange(GOOD, from, from + (int) section.length());
    }

    /** Checks one input. */
    public static void fuzzerTestOneInput(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        int repaired = data[0] & 0xff;
        byte[] file = repair(change(data), repaired);
        Files.write(FILE, file);
        long before = AllocatedBytes.now();
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, FILE)) {
            requireLittle(AllocatedBytes.now() - before, file.length);
            ask(snapshot, repaired, Arrays.hashCode(data));
        } catch (IOException e) {
            requireLittle(AllocatedBytes.now() - before, file.length);
            requireKind(e);
        }
    }

    /** Checks that the message is one line that names the file. */
    private static void requireKind(IOException refused) {
        String message = String.valueOf(refused.getMessage());
        FuzzText.requireOneLine(message);
        require(message.startsWith(FILE + ": "), "the file is not named: " + message);
    }

    /**
     * Measures a large allocation a second time. The fuzzer rewrites classes when they are loaded,
     * which allocates, too.
     */
    private static void requireLittle(long allocated, int length) {
        long most = 4L * length + ALLOWANCE;
        long again = allocated > most ? allocatedByOpening() : allocated;
        require(again <= most, again + " bytes allocated for a file of " + length);
    }

    private static long allocatedByOpening() {
        long before = AllocatedBytes.now();
        try {
            Snapshot.open(Disk.LOCAL, FILE).close();
        } catch (IOException e) {
            requireKind(e);
        }
        return AllocatedBytes.now() - before;
    }

    private static void ask(Snapshot snapshot, int repaired, int first) {
        boolean forged = has(repaired, Part.HEADER);
        Map<Asked, Entry> said = ENTRIES;
        boolean known = !forged;
        if (forged && !has(repaired, Part.BLOCKS)) {
            // Its blocks are unchanged, but the parts around them are not.
            try {
                said = export();
                known = true;
            } catch (IOException e) {
                known = false;
            }
        }
        if (forged && has(repaired, Part.BLOCKS)) {
            walk(snapshot);
        }
        for (int i = 0; i < ASKED; i++) {
            Asked asked = KEYS.get(Math.floorMod(first + i * STEP, KEYS.size()));
            Key key = asked.key();
            boolean maybe = snapshot.mightContain(key);
            require(maybe || forged, "the filter forgot " + key);
            check(snapshot, asked, known ? said.get(asked) : null, known, forged);
        }
        for (Asked stranger : STRANGERS) {
            check(snapshot, stranger, known ? said.get(stranger) : null, known, forged);
        }
    }

    /** Reads all entries of a forged store, which must end, and writes those that are new. */
    private static void walk(Snapshot snapshot) {
        try {
            for (Entry entry : Builds.entries(snapshot.store())) {
                if (!entry.equals(ENTRIES.get(new Asked(entry.key(), entry.to())))) {
                    entry.lines();
                }
            }
        } catch (IOException e) {
            requireKind(e);
        }
    }

    private static void check(
            Snapshot snapshot, Asked asked, @Nullable Entry wanted, boolean known, boolean forged) {
        long before = AllocatedBytes.now();
        try {
            Entry found = Objects.requireNonNull(snapshot.store()).find(asked.key(), asked.to());
            long allocated = AllocatedBytes.now() - before;
            require(allocated < MOST_FOR_A_QUESTION, allocated + " bytes allocated for " + asked);
            boolean right = found == null ? wanted == null || forged : found.equals(wanted);
            require(!known || right, asked + ": found " + found + ", it is " + wanted);
        } catch (IOException e) {
            requireKind(e);
        }
    }

    private static boolean has(int repaired, Part part) {
        return (repaired & part.bit) != 0;
    }

    private static byte[] change(byte[] data) {
        byte[] file = GOOD.clone();
        int at = 1;
        while (at + 4 <= data.length) {
            Part part = PARTS[(data[at] & 0xff) % PARTS.length];
            int where = (data[at + 1] & 0xff) << 8 | (data[at + 2] & 0xff);
            int count = Math.min(data[at + 3] & 15, data.length - at - 4);
            if (part == Part.LENGTH) {
                file = Arrays.copyOf(file, where);
            } else {
                int length =
                        part == Part.HEADER ? SnapshotHeader.SIZE : (int) section(part).length();
                long offset = part == Part.HEADER ? 0 : section(part).offset();
                for (int i = 0; i < count && length > 0; i++) {
                    int position = (int) offset + (where + i) % length;
                    if (position < file.length) {
                        file[position] = data[at + 4 + i];
                    }
                }
            }
            at += 4 + count;
        }
        return file;
    }

    private static Section section(Part part) {
        return switch (part) {
            case BLOCKS -> HEADER.blocks();
            case RANKS -> HEADER.ranks();
            case INDEX -> HEADER.index();
            case ADDRESS_FILTER -> HEADER.addressBits();
            case DOMAIN_FILTER -> HEADER.domainBits();
            case HEADER, LENGTH -> throw new IllegalArgumentException(part.name());
        };
    }

    /** Corrects the checksums. Each is computed over the range that the changed header gives. */
    private static byte[] repair(byte[] file, int repaired) {
        if (file.length < SnapshotHeader.SIZE) {
            return file;
        }
        ByteBuffer header = ByteBuffer.wrap(file).order(LITTLE_ENDIAN);
        if (has(repaired, Part.LENGTH)) {
            header.putLong(LENGTH_AT, file.length);
        }
        for (int i = 0; i < 5; i++) {
            int at = SECTIONS_AT + i * SECTION;
            long offset = header.getLong(at);
            long length = header.getLong(at + 8);
            boolean inside =
                    offset >= 0
                            && offset <= file.length
                            && length > 0
                            && length <= file.length - offset;
            if (has(repaired, PARTS[i]) && inside && PARTS[i] == Part.BLOCKS) {
                repairBlocks(file, (int) offset, (int) length);
            } else if (has(repaired, PARTS[i]) && inside) {
                header.putInt(at + 16, crc(file, (int) offset, (int) length));
            }
        }
        if (has(repaired, Part.HEADER)) {
            int at = SnapshotHeader.SIZE - Integer.BYTES;
            header.putInt(at, crc(file, 0, at));
        }
        return file;
    }

    /** Puts the checksums of the blocks into the index, as far as it can be read. */
    private static void repairBlocks(byte[] file, int offset, int length) {
        ByteBuffer header = ByteBuffer.wrap(file).order(LITTLE_ENDIAN);
        int indexSection = SECTIONS_AT + List.of(Part.values()).indexOf(Part.INDEX) * SECTION;
        long at = header.getLong(indexSection);
        for (int number = 0; (number + 1) * BlockStore.BLOCK <= length; number++) {
            if (at < 0 || at + 6 > file.length) {
                return;
            }
            int crc = crc(file, offset + number * BlockStore.BLOCK, BlockStore.BLOCK);
            put(file, (int) at, crc);
            at += 6 + (header.getShort((int) at + 4) & 0xffff);
        }
    }

    private static void put(byte[] file, int at, int value) {
        ByteBuffer.wrap(file).order(LITTLE_ENDIAN).putInt(at, value);
    }

    private static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
