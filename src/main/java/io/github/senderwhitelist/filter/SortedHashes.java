package io.github.senderwhitelist.filter;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * An external sort of hashes, as unsigned numbers, that removes duplicates and takes bounded
 * memory. The hashes are divided into parts by their highest bits. When memory is full, all parts
 * are written to a temporary file. Each part is sorted when its turn comes.
 */
final class SortedHashes implements Closeable {
    private static final int PART_BITS = 10;
    private static final int PARTS = 1 << PART_BITS;
    private static final int LEAST_ROOM = 1 << 16;
    private static final long[] NONE = {};

    private final long room;
    private final Scratch scratch;
    private final long[][] parts = new long[PARTS][];
    private final int[] sizes = new int[PARTS];

    /** For each time that the parts were written, the number of hashes of each part. */
    private final List<int[]> written = new ArrayList<>();

    private @Nullable DiskFile file;
    private long fileLength;
    private long inMemory;
    private LongConsumer progress = done -> {};

    /** Takes hashes. */
    @FunctionalInterface
    interface Sink {
        /** Takes the next hash. */
        void accept(long hash) throws IOException;
    }

    /**
     * Creates an empty set.
     *
     * @param memory the bytes it may take, at least 1 MiB
     * @param scratch the place for the temporary file, if one is needed
     */
    SortedHashes(long memory, Scratch scratch) {
        // Only half is used: parts grow by half their size, and one is copied to be sorted.
        this.room = Math.max(LEAST_ROOM, memory / Long.BYTES / 2);
        this.scratch = scratch;
        Arrays.fill(parts, NONE);
    }

    /** Reports the number of hashes passed on so far to a consumer, now and then. */
    void reportTo(LongConsumer consumer) {
        progress = consumer;
    }

    /** Adds a hash; adding it again changes nothing. */
    void add(long hash) throws IOException {
        int part = (int) (hash >>> (Long.SIZE - PART_BITS));
        int size = sizes[part];
        if (size == parts[part].length) {
            parts[part] = Arrays.copyOf(parts[part], size + size / 2 + 8);
        } else if (size > 0 && parts[part][size - 1] == hash) {
            return;
        }
        parts[part][size] = hash;
        sizes[part] = size + 1;
        if (++inMemory >= room) {
            spill();
        }
    }

    /** Writes all parts to the temporary file. */
    private void spill() throws IOException {
        if (file == null) {
            file = scratch.create();
        }
        for (int part = 0; part < PARTS; part++) {
            ByteBuffer bytes = ByteBuffer.allocate(sizes[part] * Long.BYTES);
            bytes.asLongBuffer().put(parts[part], 0, sizes[part]);
            fileLength += bytes.capacity();
            file.writeFully(bytes, fileLength - bytes.capacity());
        }
        written.add(sizes.clone());
        Arrays.fill(sizes, 0);
        inMemory = 0;
    }

    /** Passes all hashes on, the least first. May be called once. */
    void forEach(Sink sink) throws IOException {
        long[] starts = new long[written.size()];
        for (int i = 1; i < starts.length; i++) {
            starts[i] = starts[i - 1] + Arrays.stream(written.get(i - 1)).asLongStream().sum();
        }
        long done = 0;
        for (int part = 0; part < PARTS; part++) {
            long[] hashes = whole(part, starts);
            // Signed order will do, since all hashes of a part have the same highest bit.
            Arrays.sort(hashes);
            for (int i = 0; i < hashes.length; i++) {
                if (i == 0 || hashes[i] != hashes[i - 1]) {
                    sink.accept(hashes[i]);
                }
            }
            done += hashes.length;
            progress.accept(done);
        }
    }

    /** Returns all hashes of a part, those in the file included. */
    private long[] whole(int part, long[] starts) throws IOException {
        int size = sizes[part];
        for (int[] counts : written) {
            size = Math.addExact(size, counts[part]);
        }
        long[] hashes = Arrays.copyOf(parts[part], size);
        parts[part] = NONE;
        int end = sizes[part];
        for (int i = 0; i < starts.length; i++) {
            int count = written.get(i)[part];
            ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES);
            Objects.requireNonNull(file).readFully(bytes, starts[i] * Long.BYTES);
            bytes.asLongBuffer().get(hashes, end, count);
            starts[i] += count;
            end += count;
        }
        return hashes;
    }

    @Override
    public void close() throws IOException {
        Arrays.fill(parts, NONE);
        if (file != null) {
            file.close();
        }
    }
}
