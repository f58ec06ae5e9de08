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

/**
 * An external sort of hashes, as unsigned numbers, that takes bounded memory. The hashes are
 * divided into parts by their highest bits. When memory is full, all parts are written to a
 * temporary file. Each part is sorted when its turn comes.
 */
final class SortedHashes implements Closeable {
    private static final int PART_BITS = 10;
    private static final int PARTS = 1 << PART_BITS;
    private static final int MIN_ROOM = 1 << 16;
    private static final long[] NONE = {};

    private final long room;
    private final Scratch scratch;
    private final long[][] parts = new long[PARTS][];
    private final int[] sizes = new int[PARTS];

    /** For each time that the parts were written, where each began, and where the last ended. */
    private final List<long[]> written = new ArrayList<>();

    private @Nullable DiskFile file;
    private long fileLength;
    private long inMemory;
    private int next;

    /** Creates an empty set that may take so many bytes, at least 1 MiB. */
    SortedHashes(long memory, Scratch scratch) {
        // Only half is used: parts grow by half their size, and one is copied to be sorted.
        this.room = Math.max(MIN_ROOM, memory / Long.BYTES / 2);
        this.scratch = scratch;
        Arrays.fill(parts, NONE);
    }

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

    private void spill() throws IOException {
        if (file == null) {
            file = scratch.create();
        }
        long[] starts = new long[PARTS + 1];
        starts[0] = fileLength;
        for (int part = 0; part < PARTS; part++) {
            ByteBuffer bytes = ByteBuffer.allocate(sizes[part] * Long.BYTES);
            bytes.asLongBuffer().put(parts[part], 0, sizes[part]);
            file.writeFully(bytes, fileLength);
            fileLength += bytes.capacity();
            starts[part + 1] = fileLength;
        }
        written.add(starts);
        Arrays.fill(sizes, 0);
        inMemory = 0;
    }

    /** Returns the next part in ascending order, duplicates included; null after the last one. */
    long @Nullable [] nextPart() throws IOException {
        if (next == PARTS) {
            return null;
        }
        int end = sizes[next];
        long size = end;
        for (long[] starts : written) {
            size += (starts[next + 1] - starts[next]) / Long.BYTES;
        }
        long[] hashes = Arrays.copyOf(parts[next], Math.toIntExact(size));
        parts[next] = NONE;
        for (long[] starts : written) {
            ByteBuffer bytes = ByteBuffer.allocate((int) (starts[next + 1] - starts[next]));
            Objects.requireNonNull(file).readFully(bytes, starts[next]);
            int count = bytes.capacity() / Long.BYTES;
            bytes.asLongBuffer().get(hashes, end, count);
            end += count;
        }
        next++;
        // Signed order will do, since all hashes of a part have the same highest bit.
        Arrays.sort(hashes);
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
