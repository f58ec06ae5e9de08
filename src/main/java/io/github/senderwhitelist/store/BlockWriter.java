package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes entries as blocks and collects the index of the blocks. Entries come in the order of their
 * keys, each key once.
 */
final class BlockWriter {
    private final OutputStream out;
    private final DomainDictionary dictionary;
    private final long salt;
    private final ByteArrayOutputStream index = new ByteArrayOutputStream();

    private final CRC32C checksums = new CRC32C();
    private final byte[] block = new byte[SIZE];
    private final int[] restarts = new int[SIZE / 2];
    private int restartCount;
    private int position;
    private int count;
    private long blocks;
    private final byte[] previous = new byte[SortKey.MAX_LENGTH];
    private int previousLength;
    private int previousSender;

    /** Whether entries in the short form are for some recipients of the sender before. */
    private boolean inRecipients;

    private boolean first = true;

    BlockWriter(OutputStream out, DomainDictionary dictionary, long salt) {
        this.out = out;
        this.dictionary = dictionary;
        this.salt = salt;
    }

    /** Appends the entry with the sort key {@code key[0, length)}. */
    void append(byte[] key, int length, byte[] attributes) throws IOException {
        if (!first && Arrays.compareUnsigned(previous, 0, previousLength, key, 0, length) >= 0) {
            throw new IllegalStateException(
                    "keys out of order: "
                            + new String(previous, 0, previousLength, UTF_8)
                            + ", "
                            + new String(key, 0, length, UTF_8));
        }
        int senderEnd = SortKey.senderEnd(key, 0, length);
        if (senderEnd < length && !isOfPreviousSender(key, senderEnd)) {
            throw new IllegalStateException(
                    "no entry for all recipients before " + new String(key, 0, length, UTF_8));
        }
        if (count > 0 && !put(key, senderEnd, length, attributes, count % RESTART_INTERVAL == 0)) {
            finishBlock();
        }
        if (count == 0) {
            startBlock(key, length);
            if (!put(key, senderEnd, length, attributes, true)) {
                throw new IllegalStateException("entry larger than a block");
            }
        }
        System.arraycopy(key, 0, previous, 0, length);
        previousLength = length;
        previousSender = senderEnd;
        inRecipients = senderEnd < length || RulesCodec.hasKinds(attributes, 0, attributes.length);
        first = false;
        count++;
    }

    private boolean isOfPreviousSender(byte[] key, int senderEnd) {
        return inRecipients && Arrays.equals(previous, 0, previousSender, key, 0, senderEnd);
    }

    /** Writes the separator of a new block into the index. */
    private void startBlock(byte[] key, int length) {
        byte[] separator =
                first ? new byte[0] : SortKey.separator(previous, previousLength, key, length);
        index.write(separator.length);
        index.write(separator.length >>> 8);
        index.writeBytes(separator);
    }

    /** Puts an entry into the block; returns false and puts nothing if there is no room. */
    private boolean put(byte[] key, int senderEnd, int length, byte[] attributes, boolean restart) {
        boolean forSome = senderEnd < length;
        int start = forSome ? SortKey.recipientsStart(senderEnd) : 0;
        int local = start + SortKey.localLength(key, start);
        int need = most(key, start, local, length) + attributes.length + Short.BYTES;
        if (forSome && restart) {
            need += most(key, 0, SortKey.localLength(key, 0), senderEnd);
        }
        if (position + need > RESTARTS_AT - Short.BYTES * restartCount) {
            return false;
        }
        if (restart) {
            restarts[restartCount++] = position;
        }
        if (forSome && restart) {
            int end = SortKey.localLength(key, 0);
            boolean packed = PackedText.isPackable(key, 0, end);
            putByte(EXTENDED << 4 | SENDER_AGAIN | (packed ? 0 : UNPACKED));
            putVarint(0);
            putVarint(end);
            putKey(key, 0, end, senderEnd, packed);
        }
        int shared = restart ? 0 : shared(key, start, local, forSome);
        boolean packed = PackedText.isPackable(key, start + shared, local);
        putHead(shared, local - start - shared, packed, attributes.length, forSome);
        putKey(key, start + shared, local, length, packed);
        System.arraycopy(attributes, 0, block, position, attributes.length);
        position += attributes.length;
        return true;
    }

    /**
     * Returns the most bytes that a key {@code key[start, length)} can take: head with three
     * varints, local part and domain.
     */
    private int most(byte[] key, int start, int local, int length) {
        int domain = length - local - 1;
        return 8 + local - start + (dictionary.rank(key, local + 1, length) < 0 ? 2 + domain : 5);
    }

    /**
     * Returns how many bytes the local part {@code key[start, local)} shares with that of the
     * sender before, or of the recipients before if it is for some recipients.
     */
    private int shared(byte[] key, int start, int local, boolean forSome) {
        if (forSome && previousSender == previousLength) {
            return 0;
        }
        int previousLocal = start + SortKey.localLength(previous, start);
        int mismatch = Arrays.mismatch(previous, start, previousLocal, key, start, local);
        return mismatch < 0 ? local - start : mismatch;
    }

    private void putHead(int shared, int follow, boolean packed, int attributes, boolean forSome) {
        if (packed
                && attributes == 0
                && shared < EXTENDED
                && follow < 16
                && (forSome || !inRecipients)) {
            putByte(shared << 4 | follow);
            return;
        }
        putByte(
                EXTENDED << 4
                        | (attributes > 0 ? HAS_ATTRIBUTES : 0)
                        | (packed ? 0 : UNPACKED)
                        | (forSome ? OF_SENDER : 0));
        putVarint(shared);
        putVarint(follow);
        if (attributes > 0) {
            putVarint(attributes);
        }
    }

    /** Puts a local part {@code key[from, local)} and the domain after it, which ends at end. */
    private void putKey(byte[] key, int from, int local, int end, boolean packed) {
        if (packed) {
            PackedText.pack(key, from, local, block, position);
            position += PackedText.length(local - from);
        } else {
            System.arraycopy(key, from, block, position, local - from);
            position += local - from;
        }
        int domain = local + 1;
        int rank = dictionary.rank(key, domain, end);
        if (rank < 0) {
            putByte(LITERAL);
            putByte(end - domain);
            System.arraycopy(key, domain, block, position, end - domain);
            position += end - domain;
        } else {
            putRank(rank);
        }
    }

    private void putRank(int rank) {
        if (rank < TWO_BYTES_BASE) {
            putByte(rank);
        } else if (rank < THREE_BYTES_BASE) {
            int rest = rank - TWO_BYTES_BASE;
            putByte(TWO_BYTES + (rest >>> 8));
            putByte(rest);
        } else if (rank < FIVE_BYTES_BASE) {
            int rest = rank - THREE_BYTES_BASE;
            putByte(THREE_BYTES + (rest >>> 16));
            putByte(rest >>> 8);
            putByte(rest);
        } else {
            putByte(FIVE_BYTES);
            putInt(block, position, rank);
            position += 4;
        }
    }

    private void putVarint(int value) {
        int rest = value;
        while (rest >= 0x80) {
            putByte(rest | 0x80);
            rest >>>= 7;
        }
        putByte(rest);
    }

    private void putByte(int value) {
        block[position++] = (byte) value;
    }

    private void finishBlock() throws IOException {
        for (int i = 0; i < restartCount; i++) {
            putShort(block, RESTARTS_AT - 2 * (restartCount - i), restarts[i]);
        }
        putShort(block, RESTARTS_AT, restartCount);
        putShort(block, COUNT_AT, count);
        putInt(block, CRC_AT, checksum(block, salt, blocks));
        checksums.update(block, CRC_AT, Integer.BYTES);
        out.write(block);
        Arrays.fill(block, (byte) 0);
        blocks++;
        position = 0;
        count = 0;
        restartCount = 0;
    }

    /** Writes the last block. */
    void finish() throws IOException {
        if (count > 0) {
            finishBlock();
        }
    }

    long blocks() {
        return blocks;
    }

    /** Returns the CRC-32C of the checksums of all blocks in order. */
    int checksumOfBlocks() {
        return (int) checksums.getValue();
    }

    /** Returns the serial form of the {@link BlockIndex}. */
    byte[] index() {
        return index.toByteArray();
    }
}
