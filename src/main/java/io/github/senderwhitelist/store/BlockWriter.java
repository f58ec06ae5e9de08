package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import static java.nio.charset.StandardCharsets.UTF_8;

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
    private int previousLocal;
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
        int local = SortKey.localLength(key, 0);
        if (count > 0 && !put(key, local, length, attributes, count % RESTART_INTERVAL == 0)) {
            finishBlock();
        }
        if (count == 0) {
            startBlock(key, length);
            if (!put(key, local, length, attributes, true)) {
                throw new IllegalStateException("entry larger than a block");
            }
        }
        System.arraycopy(key, 0, previous, 0, length);
        previousLength = length;
        previousLocal = local;
        first = false;
        count++;
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
    private boolean put(byte[] key, int local, int length, byte[] attributes, boolean restart) {
        int shared = restart ? 0 : sharedLocal(key, local);
        int follow = local - shared;
        int domain = local + 1;
        int rank = dictionary.rank(key, domain, length);
        boolean packed = PackedText.isPackable(key, shared, local);
        int followBytes = packed ? PackedText.length(follow) : follow;
        // This is an upper bound: head with three varints, local part, domain, attributes, restart
        // offset.
        int need =
                9
                        + followBytes
                        + (rank < 0 ? 2 + length - domain : 5)
                        + attributes.length
                        + Short.BYTES;
        if (position + need > RESTARTS_AT - Short.BYTES * restartCount) {
            return false;
        }
        if (restart) {
            restarts[restartCount++] = position;
        }
        putHead(shared, follow, packed, attributes.length);
        if (packed) {
            PackedText.pack(key, shared, local, block, position);
        } else {
            System.arraycopy(key, shared, block, position, follow);
        }
        position += followBytes;
        if (rank < 0) {
            putByte(LITERAL);
            putByte(length - domain);
            System.arraycopy(key, domain, block, position, length - domain);
            position += length - domain;
        } else {
            putRank(rank);
        }
        System.arraycopy(attributes, 0, block, position, attributes.length);
        position += attributes.length;
        return true;
    }

    private int sharedLocal(byte[] key, int local) {
        int mismatch = Arrays.mismatch(previous, 0, previousLocal, key, 0, local);
        return mismatch < 0 ? local : mismatch;
    }

    private void putHead(int shared, int follow, boolean packed, int attributes) {
        if (packed && attributes == 0 && shared < EXTENDED && follow < 16) {
            putByte(shared << 4 | follow);
            return;
        }
        putByte(EXTENDED << 4 | (attributes > 0 ? HAS_ATTRIBUTES : 0) | (packed ? 0 : UNPACKED));
        putVarint(shared);
        putVarint(follow);
        if (attributes > 0) {
            putVarint(attributes);
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
