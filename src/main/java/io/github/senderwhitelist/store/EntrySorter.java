package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/**
 * An external merge sort of the lines of lists, in bounded memory. Lines are gathered in memory.
 * When there is no room for more, they are sorted and written as a run to a temporary file, which
 * is deleted when it is closed. At the end all runs are merged, and lines of one key become one
 * entry. Who reads first has them merged, and written as one run for whoever reads again. A list
 * that fits into memory never touches the disk, and takes little more memory than its lines do. For
 * one thread.
 *
 * <p>A line is sorted as a record: its sort key, two zeros, and its encoded rule. No sort key
 * contains two zeros, and what follows a key within a longer one is never two zeros. So records are
 * in the order of their keys, all of one key are together, and their rules are in the order of
 * bytes. In a run, a record is written as the number of bytes shared with the one before (u16), the
 * number that follow (u16), and these bytes.
 *
 * <p>The entry of a sender for all recipients has the kinds of recipients that its other entries
 * are for, so that no other kinds are looked up. Entries for one address come directly after it,
 * where they are seen in time. Those for domains come after all of these; so a line for a domain is
 * added twice, once as a mere kind of the sender.
 */
public final class EntrySorter implements Closeable {
    /** The most bytes gathered: more records are too far apart for the processor's cache. */
    private static final long MAX_GATHERED = 32L << 20;

    /** The bytes that a record takes beside its own, while it is gathered and sorted. */
    private static final int OVERHEAD = 32;

    /** How many bytes of a record are sorted as a number, above the bits of its index. */
    private static final int FIRST_BYTES = 5;

    /** Enough for as many records as are gathered at most. */
    private static final int INDEX_BITS = 23;

    /** The memory with which a run is written, and the most with which it is read. */
    private static final int BUFFER = 1 << 18;

    /** The longest record as it is written; a rule has at most 512 bytes. */
    private static final int MAX_WRITTEN = 2 * Short.BYTES + SortKey.MAX_LENGTH + 2 + 512;

    private final Scratch scratch;
    private final long memory;
    private List<byte[]> gathered = new ArrayList<>();
    private long gatheredBytes;
    private boolean isEnded;

    /** The file of the runs, if there are any, and where each ends in it. */
    private @Nullable DiskFile file;

    private final List<Long> ends = new ArrayList<>();

    /** The file of all runs as one, while it is written. */
    private @Nullable DiskFile whole;

    /**
     * Creates a sorter.
     *
     * @param memory about the most bytes that it may take
     * @param scratch the place for temporary files
     */
    public EntrySorter(long memory, Scratch scratch) {
        this.scratch = scratch;
        this.memory = memory;
    }

    /**
     * Adds the line with the sort key {@code bytes[from, from + length)}.
     *
     * @param rule its rule, encoded by {@link RulesCodec}
     */
    public void add(byte[] bytes, int from, int length, byte[] rule) throws IOException {
        put(bytes, from, length, rule);
        int senderEnd = SortKey.senderEnd(bytes, from, from + length);
        if (senderEnd < from + length) {
            RecipientKind kind = SortKey.kind(bytes, senderEnd);
            if (kind != RecipientKind.ADDRESS) {
                put(bytes, from, senderEnd - from, RulesCodec.onlyKind(kind));
            }
        }
    }

    private void put(byte[] bytes, int from, int length, byte[] rule) throws IOException {
        if (isEnded) {
            throw new IllegalStateException("the sorter is being read");
        }
        byte[] record = new byte[length + 2 + rule.length];
        System.arraycopy(bytes, from, record, 0, length);
        System.arraycopy(rule, 0, record, length + 2, rule.length);
        gathered.add(record);
        gatheredBytes += record.length + OVERHEAD;
        if (gatheredBytes > Math.min(memory, MAX_GATHERED)) {
            spill();
        }
    }

    /** Writes what was gathered as a run, the same line once. */
    private void spill() throws IOException {
        if (file == null) {
            file = scratch.create();
        }
        RunWriter run = new RunWriter(file, ends.isEmpty() ? 0 : ends.getLast());
        for (byte[] record : sortGathered()) {
            run.write(record);
        }
        ends.add(run.end());
        gathered = new ArrayList<>();
        gatheredBytes = 0;
    }

    /**
     * Returns what was gathered in order: sorted by the first five bytes of each as one number,
     * then those of the same number among themselves. Most time would go into looking at records,
     * each elsewhere in memory.
     */
    private List<byte[]> sortGathered() {
        long[] order = new long[gathered.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = first(gathered.get(i)) << INDEX_BITS | i;
        }
        Arrays.sort(order);
        List<byte[]> sorted = new ArrayList<>(order.length);
        int begin = 0;
        for (int i = 0; i < order.length; i++) {
            if (order[i] >>> INDEX_BITS != order[begin] >>> INDEX_BITS) {
                sorted.subList(begin, i).sort(Arrays::compareUnsigned);
                begin = i;
            }
            sorted.add(gathered.get((int) order[i] & (1 << INDEX_BITS) - 1));
        }
        sorted.subList(begin, order.length).sort(Arrays::compareUnsigned);
        return sorted;
    }

    private static long first(byte[] record) {
        long first = 0;
        for (int i = 0; i < FIRST_BYTES; i++) {
            first = first << Byte.SIZE | (i < record.length ? record[i] & 0xff : 0);
        }
        return first;
    }

    /** Returns all entries in order, as often as it is called. No line may be added after that. */
    public SortedEntries sorted() throws IOException {
        if (!isEnded && file != null) {
            spill();
        }
        if (file == null) {
            gathered = isEnded ? gathered : sortGathered();
            isEnded = true;
            Iterator<byte[]> lines = gathered.iterator();
            return new SortedEntries(() -> lines.hasNext() ? lines.next() : null);
        }
        isEnded = true;
        if (ends.size() == 1) {
            return new SortedEntries(new Run(file, 0, ends.getFirst(), BUFFER));
        }
        int each = Math.clamp(memory / 2 / ends.size(), 2 * MAX_WRITTEN, BUFFER);
        List<Records> runs = new ArrayList<>();
        long start = 0;
        for (long end : ends) {
            runs.add(new Run(file, start, end, each));
            start = end;
        }
        return new SortedEntries(written(new Merge(runs)));
    }

    /** Returns the same records, each once, which become the only run when all were read. */
    private Records written(Records all) throws IOException {
        if (whole != null) {
            whole.close();
        }
        DiskFile into = scratch.create();
        whole = into;
        RunWriter run = new RunWriter(into, 0);
        return () -> {
            byte[] record = all.next();
            while (record != null && !run.write(record)) {
                record = all.next();
            }
            if (record == null) {
                Objects.requireNonNull(file).close();
                file = into;
                whole = null;
                ends.clear();
                ends.add(run.end());
            }
            return record;
        };
    }

    @Override
    public void close() throws IOException {
        gathered = new ArrayList<>();
        DiskFile runs = file;
        DiskFile merged = whole;
        file = null;
        whole = null;
        try (merged) {
            if (runs != null) {
                runs.close();
            }
        }
    }

    /** A cursor over records in their order. */
    interface Records {
        /** Returns the next record, or null after the last one. */
        byte @Nullable [] next() throws IOException;
    }

    /** Writes records as a run. */
    private static final class RunWriter {
        private final DiskFile file;
        private long position;
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        private byte[] before = {};

        RunWriter(DiskFile file, long start) {
            this.file = file;
            this.position = start;
        }

        /** Writes a record; returns false if it is the same as the one before. */
        boolean write(byte[] record) throws IOException {
            int shared = Arrays.mismatch(before, record);
            if (shared < 0) {
                return false;
            }
            if (buffer.remaining() < MAX_WRITTEN) {
                flush();
            }
            int follow = record.length - shared;
            buffer.putShort((short) shared).putShort((short) follow).put(record, shared, follow);
            before = record;
            return true;
        }

        private void flush() throws IOException {
            int length = buffer.flip().limit();
            file.writeFully(buffer, position);
            position += length;
            buffer.clear();
        }

        /** Writes what is left, and returns where the run ends in the file. */
        long end() throws IOException {
            flush();
            return position;
        }
    }

    /** A run in the file. */
    private static final class Run implements Records {
        private final DiskFile file;
        private long position;
        private final long end;

        /** What was read and is not used yet. */
        private final ByteBuffer buffer;

        private byte[] before = {};

        Run(DiskFile file, long start, long end, int memory) {
            this.file = file;
            this.position = start;
            this.end = end;
            this.buffer = ByteBuffer.allocate(memory).flip();
        }

        @Override
        public byte @Nullable [] next() throws IOException {
            if (buffer.remaining() < MAX_WRITTEN && position < end) {
                buffer.compact();
                int count = (int) Math.min(buffer.remaining(), end - position);
                file.readFully(buffer.limit(buffer.position() + count), position);
                position += count;
            }
            if (!buffer.hasRemaining()) {
                return null;
            }
            int shared = buffer.getShort();
            int follow = buffer.getShort();
            before = Arrays.copyOf(before, shared + follow);
            buffer.get(before, shared, follow);
            return before;
        }
    }
}
