package io.github.senderwhitelist.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Writes the blocks of an exact store, and makes its dictionary, its codes and its index. The codes
 * depend on all entries. So entries are kept, and their symbols counted, until {@link #finish}.
 */
public final class BlockStoreWriter implements Closeable {
    /** Symbols are counted in windows of so many entries. */
    private static final int WINDOW_BITS = 12;

    /** Of so many entries, the symbols of all are counted; of more, of this many or an eighth. */
    private static final long ENOUGH = 1 << 20;

    private static final long MOST_APART = 8;

    private static final int REPORT_EVERY = 1 << 16;

    /** About how many bytes more than all of a block two neighbours share. */
    private static final int USUAL_BEYOND_PREFIX = 4;

    private final OutputStream out;
    private final DomainDictionary dictionary;
    private final DomainRanks ranks;
    private final long salt;
    private final EntrySpool spool;
    private final FieldCounts counts;
    private final EntryCoder counter;
    private final Draft draft = new Draft();
    private final long windowsApart;
    private long entries;
    private int inGroup;
    private boolean withKinds;
    private @Nullable EntryCodes codes;
    private @Nullable BlockWriter writer;

    /**
     * Creates a writer of blocks to {@code out}.
     *
     * @param domains the domains of the dictionary, the commonest first; others are spelled out
     *     where they occur
     * @param salt the salt of the checksums
     * @param expected about how many entries will come
     * @param scratch the place for a temporary file
     */
    public BlockStoreWriter(
            OutputStream out, List<byte[]> domains, long salt, long expected, Scratch scratch) {
        this.out = out;
        this.dictionary = DomainDictionary.of(domains);
        this.ranks = new DomainRanks(dictionary);
        this.salt = salt;
        this.spool = new EntrySpool(scratch, dictionary);
        this.counts = new FieldCounts(domains.size());
        dictionary.count(counts);
        this.counter = new EntryCoder(counts);
        this.windowsApart = Math.clamp(expected / ENOUGH, 1, MOST_APART);
    }

    /**
     * Appends the entry with the sort key {@code key[0, length)}. Entries must come in the order of
     * their keys, each key once.
     *
     * @param rules its rules, encoded by {@link RulesCodec}
     */
    public void append(byte[] key, int length, byte[] rules) throws IOException {
        if (entries > 0
                && Arrays.compareUnsigned(draft.key, 0, draft.length, key, 0, length) >= 0) {
            throw new IllegalStateException(
                    "keys out of order: "
                            + new String(draft.key, 0, draft.length, UTF_8)
                            + ", "
                            + new String(key, 0, length, UTF_8));
        }
        int senderEnd = SortKey.senderEnd(key, 0, length);
        if (senderEnd < length
                && !(draft.inRecipients()
                        && Arrays.equals(draft.key, 0, draft.senderEnd, key, 0, senderEnd))) {
            throw new IllegalStateException(
                    "no entry for all recipients before " + new String(key, 0, length, UTF_8));
        }
        draft.next(key, senderEnd, length, rules, ranks);
        if (draft.inRecipients() && !withKinds) {
            withKinds = true;
            counts.addKinds();
        }
        count();
        spool.append(draft);
        entries++;
    }

    /** Counts the symbols of an entry, as if groups began without blocks. */
    private void count() {
        boolean restart = inGroup == 0 || BlockWriter.startsGroup(inGroup, draft);
        inGroup = restart ? 1 : inGroup + 1;
        if ((entries >>> WINDOW_BITS) % windowsApart == 0) {
            if (restart) {
                counter.restart(draft, Math.max(0, draft.shared - USUAL_BEYOND_PREFIX));
            } else {
                counter.follow(draft);
            }
        } else {
            counts.rules(draft);
        }
        counter.after(draft, restart);
    }

    /**
     * Writes the blocks.
     *
     * @param progress takes the number of entries written, often
     */
    public void finish(LongConsumer progress) throws IOException {
        EntryCodes made = counts.codes();
        BlockWriter blocks = new BlockWriter(out, made, salt);
        long[] written = new long[1];
        spool.drain(
                entry -> {
                    blocks.append(entry);
                    if ((++written[0] & (REPORT_EVERY - 1)) == 0) {
                        progress.accept(written[0]);
                    }
                });
        blocks.finish();
        codes = made;
        writer = blocks;
    }

    private static <T> T finished(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("not finished");
        }
        return part;
    }

    /** Returns the CRC-32C of the checksums of all blocks in order, after {@link #finish}. */
    public int checksum() {
        return finished(writer).checksumOfBlocks();
    }

    /** Returns the number of blocks written, after {@link #finish}. */
    public long blocks() {
        return finished(writer).blocks();
    }

    /** Returns the size of a block, in bytes. */
    public static int blockSize() {
        return BlockFormat.SIZE;
    }

    /**
     * Returns the serial form of codes and dictionary of domains, after {@link #finish}: {@link
     * EntryCodes} and then {@link DomainDictionary}.
     */
    public byte[] dictionary() {
        EntryCodes made = finished(codes);
        byte[] ofCodes = made.serial();
        byte[] ofDomains = dictionary.serial(made);
        byte[] both = Arrays.copyOf(ofCodes, ofCodes.length + ofDomains.length);
        System.arraycopy(ofDomains, 0, both, ofCodes.length, ofDomains.length);
        return both;
    }

    /** Returns the serial form of the {@link BlockIndex}, after {@link #finish}. */
    public byte[] index() {
        return finished(writer).index();
    }

    @Override
    public void close() throws IOException {
        spool.close();
    }
}
