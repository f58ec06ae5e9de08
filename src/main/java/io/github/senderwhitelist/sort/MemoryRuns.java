package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.sort.RunCode.Decoder;
import io.github.senderwhitelist.sort.RunCode.Encoder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Sorted runs of entries in memory, which is allocated in pieces as it is needed. For one thread.
 *
 * <p>A run may extend over several pieces; an entry lies in one. Pieces are kept when the runs are
 * cleared, so a large list allocates them once.
 */
final class MemoryRuns {
    private static final int LEAST_PIECE = 1 << 16;

    /** Larger pieces would save nothing. */
    private static final int MOST_PIECE = 1 << 23;

    /** A piece takes at most this part of the memory, so little of the last one is wasted. */
    private static final int LEAST_PIECES = 8;

    /**
     * Pieces are smaller than a power of two by the header of an array: so they fill exactly the
     * regions that a garbage collector uses for large arrays.
     */
    private static final int ARRAY_HEADER = 16;

    private final long most;
    private final DomainTable domains;
    private final List<byte[]> pieces = new ArrayList<>();
    private long allocated;

    /** The index of the piece that is being written; the pieces before are full. */
    private int current = -1;

    /** The end of what was written to it. */
    private int end;

    private long used;
    private final List<List<Part>> runs = new ArrayList<>();

    /** The bytes {@code bytes[from, to)} of a run. */
    private static final class Part {
        final byte[] bytes;
        final int from;
        final int to;

        Part(byte[] bytes, int from, int to) {
            this.bytes = bytes;
            this.from = from;
            this.to = to;
        }
    }

    /**
     * Creates room for runs of about {@code most} bytes.
     *
     * @param domains for the numbers of domains
     */
    MemoryRuns(long most, DomainTable domains) {
        this.most = most;
        this.domains = domains;
    }

    /**
     * Returns whether there is room for a run of that many entries, whose keys and rules have
     * {@code size} bytes in all.
     */
    boolean hasRoom(int entries, int size) {
        return most - used >= size + 8L * entries;
    }

    /** Appends a run, for which there must be room. */
    void write(DistinctEntries entries) throws IOException {
        Encoder encoder = new Encoder(domains);
        List<Part> run = new ArrayList<>();
        int start = end;
        for (SortedEntry entry = entries.next(); entry != null; entry = entries.next()) {
            if (current < 0 || end > pieces.get(current).length - RunCode.MAX_ENTRY) {
                addPart(run, start);
                nextPiece();
                start = 0;
            }
            end = encoder.put(entry, pieces.get(current), end);
        }
        addPart(run, start);
        runs.add(run);
    }

    private void addPart(List<Part> run, int start) {
        if (end > start) {
            run.add(new Part(pieces.get(current), start, end));
            used += end - start;
        }
    }

    private void nextPiece() {
        if (++current == pieces.size()) {
            // Memory doubles: small lists take little of it, and large ones few pieces.
            long size = Math.clamp(most / LEAST_PIECES, LEAST_PIECE, MOST_PIECE);
            size = Math.clamp(allocated, LEAST_PIECE, size);
            pieces.add(new byte[(int) size - ARRAY_HEADER]);
            allocated += size;
        }
        end = 0;
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    /** Removes all runs. */
    void clear() {
        runs.clear();
        current = -1;
        end = 0;
        used = 0;
    }

    /** Returns the runs. */
    List<SortedEntries> rows() {
        List<SortedEntries> rows = new ArrayList<>();
        for (List<Part> run : runs) {
            rows.add(new Reader(domains, run));
        }
        return rows;
    }

    /** Reads one run. */
    private static final class Reader extends Decoder {
        private final List<Part> parts;
        private int next;

        Reader(DomainTable domains, List<Part> parts) {
            super(domains, new byte[0], 0, 0);
            this.parts = parts;
        }

        @Override
        void refill() {
            if (at == limit && next < parts.size()) {
                Part part = parts.get(next++);
                bytes = part.bytes;
                at = part.from;
                limit = part.to;
            }
        }
    }
}
