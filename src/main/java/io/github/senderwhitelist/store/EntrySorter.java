package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.DiskOutput;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * An external merge sort of the lines of lists, in bounded memory. Lines are gathered in memory.
 * When there is no room for more, they are sorted and written as a run to a temporary file, which
 * is deleted when it is closed. At the end all runs are merged, and lines of one key become one
 * entry. A list that fits into memory never touches the disk, and takes little more memory than its
 * lines do. For one thread.
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
        gathered.sort(Arrays::compareUnsigned);
        DiskOutput out = new DiskOutput(file, ends.isEmpty() ? 0 : ends.getLast());
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        byte[] before = {};
        for (byte[] record : gathered) {
            int shared = Arrays.mismatch(before, record);
            if (shared >= 0) {
                if (buffer.remaining() < MAX_WRITTEN) {
                    out.write(buffer.array(), 0, buffer.position());
                    buffer.clear();
                }
                int follow = record.length - shared;
                buffer.putShort((short) shared).putShort((short) follow);
                buffer.put(record, shared, follow);
                before = record;
            }
        }
        out.write(buffer.array(), 0, buffer.position());
        ends.add(out.position());
        gathered = new ArrayList<>();
        gatheredBytes = 0;
    }

    /** Returns all entries in order, as often as it is called. No line may be added after that. */
    public SortedEntries sorted() throws IOException {
        if (!isEnded && file != null) {
            spill();
        }
        isEnded = true;
        if (file == null) {
            gathered.sort(Arrays::compareUnsigned);
            Iterator<byte[]> lines = gathered.iterator();
            return new SortedEntries(List.of(() -> lines.hasNext() ? lines.next() : null));
        }
        int each = Math.clamp(memory / 2 / ends.size(), 2 * MAX_WRITTEN, BUFFER);
        List<SortedEntries.Records> runs = new ArrayList<>();
        long start = 0;
        for (long end : ends) {
            runs.add(new Run(file, start, end, each));
            start = end;
        }
        return new SortedEntries(runs);
    }

    @Override
    public void close() throws IOException {
        gathered = new ArrayList<>();
        if (file != null) {
            DiskFile closed = file;
            file = null;
            closed.close();
        }
    }

    /** A run in the file. */
    private static final class Run implements SortedEntries.Records {
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
