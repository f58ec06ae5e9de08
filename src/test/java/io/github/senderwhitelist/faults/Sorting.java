package io.github.senderwhitelist.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.store.EntrySorter;
import io.github.senderwhitelist.store.SortedEntries;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** More entries are sorted than have room in memory. */
final class Sorting extends Deed {
    private static final Path SCRATCH = Path.of("/tmp");
    private static final int ENTRIES = 70_000;

    /** Longer than the entries are, so that not so many are needed to fill the memory. */
    private static final String PADDING = "-".repeat(54);

    private long sorted;

    Sorting(MemoryDisk memory) {
        super(memory);
    }

    /** Returns an empty disk. */
    static MemoryDisk disk() {
        MemoryDisk disk = new MemoryDisk();
        disk.putFolder(SCRATCH);
        return disk;
    }

    private static byte[] key(int i) {
        String text = Integer.toString(i * 7919, 36) + PADDING + "\0d" + i % 50 + ".example";
        return text.getBytes(US_ASCII);
    }

    @Override
    void run() throws IOException {
        try (EntrySorter sorter = new EntrySorter(4 << 20, new Scratch(disk, SCRATCH))) {
            for (int i = 0; i < ENTRIES; i++) {
                byte[] key = key(i);
                sorter.add(key, 0, key.length, RulesCodec.PLAIN);
            }
            sorted = count(sorter.sorted());
        }
    }

    private static long count(SortedEntries entries) throws IOException {
        byte[] before = {};
        long count = 0;
        while (entries.next()) {
            byte[] key = entries.key();
            require(Arrays.compareUnsigned(before, key) < 0, "not in order");
            before = key;
            count++;
        }
        return count;
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) {
        requireNothingOpen();
        require(failure == null ? sorted == ENTRIES : !harmless, sorted + " entries, " + failure);
        requireNoneLeft(memory);
    }

    @Override
    void requireWellAfter(MemoryDisk left) {
        requireNoneLeft(left);
    }
}
