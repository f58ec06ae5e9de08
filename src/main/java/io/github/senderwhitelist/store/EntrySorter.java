package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * An external merge sort of the lines of lists, in bounded memory. Lines are gathered in memory.
 * When there is no room for more, they are sorted and written as a run to a temporary file. At the
 * end all runs are merged, and lines of one key become one entry. A list that fits into memory
 * never touches the disk, and takes little more memory than its lines do. For one thread.
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

    private final Scratch scratch;
    private final long memory;
    private List<byte[]> gathered = new ArrayList<>();
    private long gatheredBytes;
    private @Nullable Runs runs;
    private boolean isEnded;

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

    private void spill() throws IOException {
        if (runs == null) {
            runs = new Runs(scratch);
        }
        gathered.sort(Arrays::compareUnsigned);
        runs.write(gathered);
        gathered = new ArrayList<>();
        gatheredBytes = 0;
    }

    /** Returns all entries in order, as often as it is called. No line may be added after that. */
    public SortedEntries sorted() throws IOException {
        if (!isEnded && runs != null) {
            spill();
        }
        isEnded = true;
        if (runs != null) {
            return new SortedEntries(runs.read(memory / 2));
        }
        gathered.sort(Arrays::compareUnsigned);
        Iterator<byte[]> records = gathered.iterator();
        return new SortedEntries(List.of(() -> records.hasNext() ? records.next() : null));
    }

    @Override
    public void close() throws IOException {
        gathered = new ArrayList<>();
        if (runs != null) {
            Runs file = runs;
            runs = null;
            file.close();
        }
    }
}
