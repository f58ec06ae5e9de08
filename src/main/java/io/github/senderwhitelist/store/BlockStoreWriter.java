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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;

/**
 * The writer of an exact store: its blocks, dictionary, codes and index. The codes depend on all
 * entries. So entries are kept, and their symbols counted, until {@link #finish}.
 */
public final class BlockStoreWriter implements Closeable {
    /**
     * The binary logarithm of the number of entries in a window; symbols are counted by windows.
     */
    private static final int WINDOW_BITS = 12;

    /**
     * The number of entries up to which the symbols of all are counted; of more entries, those of
     * about as many are, or of an eighth.
     */
    private static final long ENOUGH = 1 << 18;

    private static final long MOST_APART = 8;

    /**
     * The most entries of a part. The blocks of a part do not depend on other parts, so that
     * several threads can make them. The last block of a part is half empty on average, which is
     * one block in 2,000.
     */
    private static final int PART = 1 << 18;

    /** The bytes that two neighbouring keys usually share beyond the prefix of their block. */
    private static final int USUAL_BEYOND_PREFIX = 4;

    private final DomainDictionary dictionary;
    private final DomainRanks ranks;
    private final EntrySpool spool;
    private final FieldCounts counts;
    private final EntryCoder counter;
    private final Draft draft = new Draft();
    private final long windowsApart;
    private long entries;
    private int inGroup;
    private boolean withKinds;
    private @Nullable EntryCodes codes;
    private final BlockOutput output;

    /**
     * Creates a writer of blocks to {@code out}.
     *
     * @param domains the domains of the dictionary, the commonest first; others are spelled out
     *     where they occur
     * @param salt the salt of the checksums
     * @param expected the approximate number of entries; another number makes other codes
     * @param scratch the place for a temporary file
     */
    public BlockStoreWriter(
            OutputStream out, List<byte[]> domains, long salt, long expected, Scratch scratch) {
        this(out, domains, salt, expected, scratch, PART);
    }

    /** Creates a writer with parts of at most {@code entriesPerPart} entries. */
    BlockStoreWriter(
            OutputStream out,
            List<byte[]> domains,
            long salt,
            long expected,
            Scratch scratch,
            int entriesPerPart) {
        this.output = new BlockOutput(out, salt);
        this.dictionary = DomainDictionary.of(domains);
        this.ranks = new DomainRanks(dictionary);
        this.spool = new EntrySpool(scratch, dictionary, entriesPerPart);
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
     * @param domain a small number that only entries with the same last domain have, or a negative
     *     one; it saves time
     */
    public void append(byte[] key, int length, byte[] rules, int domain) throws IOException {
        int same = draft.shared(key, length);
        if (same == length || (same < draft.length && !isBelow(draft.key[same], key[same]))) {
            throw new IllegalStateException(
                    "keys out of order: "
                            + new String(draft.key, 0, draft.length, UTF_8)
                            + ", "
                            + new String(key, 0, length, UTF_8));
        }
        int senderEnd = SortKey.senderEnd(key, 0, length);
        boolean sameSender = senderEnd == draft.senderEnd && same >= senderEnd;
        if (senderEnd < length && !(sameSender && draft.inRecipients())) {
            throw new IllegalStateException(
                    "no entry for all recipients before " + new String(key, 0, length, UTF_8));
        }
        draft.next(key, same, senderEnd, length, rules, domain, ranks);
        if (draft.inRecipients() && !withKinds) {
            withKinds = true;
            counts.addKinds();
        }
        count();
        spool.append(draft);
        entries++;
    }

    private static boolean isBelow(byte a, byte b) {
        return Byte.compareUnsigned(a, b) < 0;
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
     * @param threads the number of threads that make blocks
     * @param progress takes the number of entries written, now and then
     */
    public void finish(int threads, LongConsumer progress) throws IOException {
        EntryCodes made = counts.codes();
        Queue<PartWriter> idle = new ConcurrentLinkedQueue<>();
        long[] written = new long[1];
        InOrder.map(
                spool.finish(),
                threads,
                part -> {
                    PartWriter reused = idle.poll();
                    PartWriter writer = reused == null ? new PartWriter(made) : reused;
                    writer.write(part);
                    return writer;
                },
                writer -> {
                    writer.blocks.moveTo(output);
                    idle.add(writer);
                    written[0] += writer.entries;
                    progress.accept(written[0]);
                });
        codes = made;
    }

    /** Makes the blocks of one part after the other, in the same memory. */
    private static final class PartWriter {
        final BlockWriter blocks;
        private final byte[] buffer = EntrySpool.buffer();

        /** The number of entries in the part. */
        int entries;

        PartWriter(EntryCodes codes) {
            this.blocks = new BlockWriter(codes);
        }

        void write(EntrySpool.Part part) throws IOException {
            blocks.begin(part.before());
            part.drain(buffer, blocks::append);
            blocks.finish();
            entries = part.entries();
        }
    }

    private EntryCodes codes() {
        if (codes == null) {
            throw new IllegalStateException("not finished");
        }
        return codes;
    }

    /** Returns the CRC-32C of the checksums of all blocks in order, after {@link #finish}. */
    public int checksum() {
        return output.checksumOfBlocks();
    }

    /** Returns the number of blocks written, after {@link #finish}. */
    public long blocks() {
        return output.blocks();
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
        EntryCodes made = codes();
        byte[] ofCodes = made.serial();
        byte[] ofDomains = dictionary.serial(made);
        byte[] both = Arrays.copyOf(ofCodes, ofCodes.length + ofDomains.length);
        System.arraycopy(ofDomains, 0, both, ofCodes.length, ofDomains.length);
        return both;
    }

    /** Returns the serial form of the {@link BlockIndex}, after {@link #finish}. */
    public byte[] index() {
        return output.index();
    }

    @Override
    public void close() throws IOException {
        spool.close();
    }
}
