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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.function.LongConsumer;

/**
 * An external merge sort of the lines of lists, in bounded memory. Lines are gathered in memory.
 * When there is no room for more, they are sorted and appended as a run to a temporary file. At the
 * end all runs are merged into one. A list that fits into memory never touches the disk, and takes
 * little more memory than its lines do. For one thread.
 *
 * <p>A line is sorted as a record: its sort key, two zeros, and its encoded rule. No sort key
 * contains two zeros, and what follows a key within a longer one is never two zeros. So records are
 * in the order of their keys, all of one key are together, and their rules are in the order of
 * bytes. In a run, a record is the number of bytes shared with the one before (u16), the number
 * that follow (u16), and these bytes.
 *
 * <p>The entry of a sender for all recipients has the kinds of recipients that its other entries
 * are for, so that no other kinds are looked up. Entries for one address come directly after it,
 * where they are seen in time. Those for domains come after all of these; so a line for a domain is
 * added twice, once as a mere kind of the sender.
 */
public final class EntrySorter implements Closeable {
    /** The most bytes gathered: more records are too far apart for the processor's cache. */
    private static final int MAX_GATHERED = 32 << 20;

    /** The bytes that a record takes beside its own, while it is gathered and sorted. */
    private static final int OVERHEAD = Integer.BYTES + Long.BYTES;

    /** How many bytes of a record are sorted as a number, above the bits of its index. */
    private static final int DIGITS = 5;

    /** Enough for as many records as are gathered at most. */
    private static final int INDEX_BITS = 23;

    private static final int MIN_ROOM = 1 << 10;

    /** The memory with which a run is written, and the most with which it is read. */
    private static final int BUFFER = 1 << 18;

    /** The longest record as it is written; a rule has at most 512 bytes. */
    private static final int MAX_WRITTEN = 2 * Short.BYTES + SortKey.MAX_LENGTH + 2 + 512;

    private final long memory;
    private final Scratch scratch;
    private boolean isEnded;

    /** The gathered records, one after another, and where each begins and the last one ends. */
    private byte[] text = new byte[MIN_ROOM];

    private int[] starts = new int[MIN_ROOM];
    private int gathered;

    /** The indexes of the gathered records in the lowest bits, in order; see {@link #sort}. */
    private long[] order = {};

    /** Where each run begins in the file, if there is one, and the last one ends. */
    private final List<Long> runStarts = new ArrayList<>(List.of(0L));

    private @Nullable DiskFile file;

    /** Creates a sorter that takes about so many bytes of memory. */
    public EntrySorter(long memory, Scratch scratch) {
        this.memory = memory;
        this.scratch = scratch;
    }

    /** Adds the line with the sort key {@code bytes[from, from + length)} and an encoded rule. */
    public void add(byte[] bytes, int from, int length, byte[] rule) throws IOException {
        put(bytes, from, length, rule);
        int senderEnd = SortKey.senderEnd(bytes, from, from + length);
        if (senderEnd < from + length) {
            RecipientKind kind = RecipientKind.ofCode(bytes[senderEnd + 1]);
            if (kind != RecipientKind.ADDRESS) {
                put(bytes, from, senderEnd - from, RulesCodec.onlyKind(kind));
            }
        }
    }

    private void put(byte[] bytes, int from, int length, byte[] rule) throws IOException {
        if (isEnded) {
            throw new IllegalStateException("the sorter is being read");
        }
        int size = length + 2 + rule.length;
        long limit = Math.min(memory, MAX_GATHERED);
        if (starts[gathered] + size + (gathered + 1L) * OVERHEAD > limit) {
            spill();
        }
        int end = starts[gathered] + size;
        if (end > text.length) {
            // In few large steps, since both arrays are in memory while one is copied.
            long room = Math.min(4L * text.length, limit);
            text = Arrays.copyOf(text, Math.toIntExact(Math.max(room, end)));
        }
        ByteBuffer record = ByteBuffer.wrap(text, starts[gathered], size);
        record.put(bytes, from, length).putShort((short) 0).put(rule);
        if (++gathered == starts.length) {
            starts = Arrays.copyOf(starts, 2 * gathered);
        }
        starts[gathered] = end;
    }

    /** Writes what was gathered as a run, and returns the file of the runs. */
    private DiskFile spill() throws IOException {
        DiskFile runs = file == null ? scratch.create() : file;
        file = runs;
        sortGathered();
        append(new Gathered(), runs, done -> {});
        runStarts.add(runs.size());
        gathered = 0;
        return runs;
    }

    /** Appends records to a file as a run, the same record once. */
    private static void append(Records records, DiskFile file, LongConsumer progress)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        for (long done = 1; records.next(); done++) {
            int follow = records.length - records.shared;
            if (follow > 0) {
                buffer.putShort((short) records.shared).putShort((short) follow);
                buffer.put(records.bytes, records.shared, follow);
            }
            if (buffer.remaining() < MAX_WRITTEN) {
                file.writeFully(buffer.flip(), file.size());
                buffer.clear();
            }
            progress.accept(done);
        }
        file.writeFully(buffer.flip(), file.size());
    }

    private void sortGathered() {
        order = new long[gathered];
        Arrays.setAll(order, record -> record);
        sort(0, gathered, 0);
    }

    /**
     * Sorts records by the bytes from {@code depth} on; those before are the same. The next five of
     * each are sorted as one number, and then those of the same number by what follows: most time
     * goes into looking at records, each elsewhere in memory.
     */
    private void sort(int from, int to, int depth) {
        boolean areOver = true;
        for (int i = from; i < to; i++) {
            int record = record(i);
            long number = 0;
            for (int at = starts[record] + depth; at < starts[record] + depth + DIGITS; at++) {
                number = number << Byte.SIZE | (at < starts[record + 1] ? text[at] & 0xff : 0);
            }
            areOver &= starts[record + 1] - starts[record] <= depth;
            order[i] = number << INDEX_BITS | record;
        }
        if (areOver) {
            return;
        }
        Arrays.sort(order, from, to);
        int begin = from;
        for (int i = from + 1; i <= to; i++) {
            if (i == to || order[i] >>> INDEX_BITS != order[begin] >>> INDEX_BITS) {
                if (i - begin > 1) {
                    sort(begin, i, depth + DIGITS);
                }
                begin = i;
            }
        }
    }

    private int record(int place) {
        return (int) order[place] & (1 << INDEX_BITS) - 1;
    }

    /**
     * Returns all entries in order, as often as it is called. No line may be added after that. How
     * many lines are merged is reported.
     */
    public SortedEntries sorted(LongConsumer progress) throws IOException {
        if (!isEnded && file == null) {
            sortGathered();
        } else if (!isEnded) {
            try (DiskFile runs = spill()) {
                text = new byte[0];
                starts = new int[1];
                order = new long[0];
                int count = runStarts.size() - 1;
                int each = Math.clamp(memory / 2 / count, 2 * MAX_WRITTEN, BUFFER);
                Queue<Records> left = new ArrayDeque<>();
                for (int i = 0; i < count; i++) {
                    left.add(new Run(runs, runStarts.get(i), runStarts.get(i + 1), each));
                }
                while (left.size() > 1) {
                    left.add(new Merge(left.remove(), left.remove()));
                }
                file = scratch.create();
                append(left.remove(), file, progress);
            }
        }
        isEnded = true;
        return new SortedEntries(
                file == null ? new Gathered() : new Run(file, 0, file.size(), BUFFER));
    }

    @Override
    public void close() throws IOException {
        text = new byte[0];
        if (file != null) {
            file.close();
        }
    }

    /** A cursor over records in their order, before the first one. */
    abstract static class Records {
        /** The record is {@code bytes[0, length)}, until the next one. */
        byte[] bytes = {};

        int length;

        /** How many bytes it shares with the one before. */
        int shared;

        /** Moves to the next record; returns false after the last one. */
        abstract boolean next() throws IOException;

        final void resize(int newLength) {
            if (newLength > bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * newLength);
            }
            length = newLength;
        }
    }

    private final class Gathered extends Records {
        private int place;

        @Override
        boolean next() {
            if (place == gathered) {
                return false;
            }
            int record = record(place++);
            int from = starts[record];
            int to = starts[record + 1];
            int mismatch = Arrays.mismatch(bytes, 0, length, text, from, to);
            shared = mismatch < 0 ? length : mismatch;
            resize(to - from);
            System.arraycopy(text, from + shared, bytes, shared, length - shared);
            return true;
        }
    }

    private static final class Run extends Records {
        private final DiskFile file;
        private long position;
        private final long end;
        private final ByteBuffer buffer;

        Run(DiskFile file, long start, long end, int memory) {
            this.file = file;
            this.position = start;
            this.end = end;
            this.buffer = ByteBuffer.allocate(memory).flip();
        }

        @Override
        boolean next() throws IOException {
            if (buffer.remaining() < MAX_WRITTEN && position < end) {
                buffer.compact();
                int count = (int) Math.min(buffer.remaining(), end - position);
                file.readFully(buffer.limit(buffer.position() + count), position);
                position += count;
            }
            if (!buffer.hasRemaining()) {
                return false;
            }
            shared = buffer.getShort();
            int follow = buffer.getShort();
            resize(shared + follow);
            buffer.get(bytes, shared, follow);
            return true;
        }
    }

    /**
     * Two cursors as one. A record has a code: how many bytes it shares with the one before, and
     * the complement of the byte then, in the lowest {@value #BYTE_BITS} bits. The greater code has
     * the lesser record, so few comparisons look at records (Conner, Offset-value coding, 1977).
     */
    private static final class Merge extends Records {
        private static final int BYTE_BITS = 9;

        /** The lowest bits for a record that ends where another byte would come. */
        private static final int END = 0x100;

        private Records last;

        /** The other one, at a record that is not taken yet, and its code; -1 after the last. */
        private Records other;

        private int otherCode;
        private int code;

        Merge(Records one, Records two) throws IOException {
            last = one;
            other = two;
            otherCode = advance(two);
        }

        private static int advance(Records at) throws IOException {
            boolean isMore = at.next();
            return at instanceof Merge merge ? merge.code : isMore ? code(at, at.shared) : -1;
        }

        private static int code(Records at, int same) {
            return same << BYTE_BITS | (same < at.length ? ~at.bytes[same] & 0xff : END);
        }

        @Override
        boolean next() throws IOException {
            int next = advance(last);
            code = Math.max(next, otherCode);
            shared = code >> BYTE_BITS;
            if (next == otherCode && code >= 0) {
                int mismatch =
                        Arrays.mismatch(
                                last.bytes, shared, last.length, other.bytes, shared, other.length);
                int same = mismatch < 0 ? last.length : shared + mismatch;
                next = code(last, same);
                otherCode = code(other, same);
            }
            if (otherCode > next) {
                Records taken = other;
                other = last;
                last = taken;
                otherCode = next;
            }
            bytes = last.bytes;
            length = last.length;
            return code >= 0;
        }
    }
}
