package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/**
 * An external merge sort of the lines of lists, in bounded memory. Lines are gathered in a buffer.
 * When it is full, it is sorted and written as a run to a temporary file. At the end all runs are
 * merged, and lines of one key become one entry. A list that fits into memory never touches the
 * disk, and takes little more memory than its lines do. For one thread.
 *
 * <p>The entry of a sender for all recipients has the kinds of recipients that its other entries
 * are for, so that no other kinds are looked up. Entries for one address come directly after it,
 * where they are seen in time. Those for domains come after all of these; so a line for a domain is
 * added twice, once as a mere kind of the sender.
 */
public final class EntrySorter implements Closeable {
    /** Records in a larger buffer are too far apart for the processor's cache. */
    private static final long MAX_BUFFER = 32L << 20;

    private final Scratch scratch;
    private final long memory;
    private @Nullable RecordBuffer buffer;
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
        this.buffer = new RecordBuffer(Math.min(memory, MAX_BUFFER));
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
        RecordBuffer filling = buffer;
        if (filling == null || isEnded) {
            throw new IllegalStateException("the sorter is being read");
        }
        if (!filling.add(bytes, from, length, rule)) {
            spill(filling);
            if (!filling.add(bytes, from, length, rule)) {
                throw new IllegalStateException("no room for one record in " + memory + " bytes");
            }
        }
    }

    private void spill(RecordBuffer full) throws IOException {
        if (runs == null) {
            runs = new Runs(scratch);
        }
        runs.write(full.sorted());
        full.clear();
    }

    /** Returns all entries in order, as often as it is called. No line may be added after that. */
    public SortedEntries sorted() throws IOException {
        isEnded = true;
        if (buffer != null && runs != null) {
            spill(buffer);
            buffer = null;
        }
        return new SortedEntries(
                runs == null
                        ? List.of(Objects.requireNonNull(buffer).sorted())
                        : runs.read(memory / 2));
    }

    @Override
    public void close() throws IOException {
        if (runs != null) {
            Runs file = runs;
            runs = null;
            file.close();
        }
    }
}
