package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes entries, given in the order of keys and each once, as blocks, and collects the index of
 * the blocks.
 */
final class BlockWriter {
    private final OutputStream out;
    private final DomainDictionary dictionary;
    private final long salt;
    private final ByteArrayOutputStream index = new ByteArrayOutputStream();

    private final CRC32C checksums = new CRC32C();
    private byte[] block = new byte[SIZE];
    private final int[] restarts = new int[SIZE / 2];
    private int restartCount;
    private int position;
    private int count;
    private long blocks;
    private @Nullable Key previous;

    BlockWriter(OutputStream out, DomainDictionary dictionary, long salt) {
        this.out = out;
        this.dictionary = dictionary;
        this.salt = salt;
    }

    void append(Entry entry) throws IOException {
        Key key = entry.key();
        if (previous != null && previous.compareTo(key) >= 0) {
            throw new IllegalStateException("keys out of order: " + previous + ", " + key);
        }
        byte[] attributes = Attributes.encode(entry.denied());
        if (count > 0 && !put(key, attributes, count % RESTART_INTERVAL == 0)) {
            finishBlock();
        }
        if (count == 0) {
            startBlock(key);
            if (!put(key, attributes, true)) {
                throw new IllegalStateException("entry larger than a block: " + key);
            }
        }
        previous = key;
        count++;
    }

    private void startBlock(Key key) {
        byte[] separator =
                previous == null
                        ? new byte[0]
                        : SortKey.separator(SortKey.of(previous), SortKey.of(key));
        index.write(separator.length);
        index.write(separator.length >>> 8);
        index.writeBytes(separator);
    }

    /** Puts an entry into the block; false, and nothing put, when it has no room. */
    private boolean put(Key key, byte[] attributes, boolean restart) {
        int shared = restart || previous == null ? 0 : sharedLocal(previous, key);
        int follow = key.localLength() - shared;
        int rank = dictionary.rank(key.bytes(), key.domainStart(), key.bytes().length);
        // Head with two varints and attribute length, literal domain with its two bytes, restart
        // offset: an upper
        // bound.
        int need = 9 + follow + (rank < 0 ? 2 + key.domainLength() : 5) + attributes.length + 2;
        if (position + need > RESTARTS_AT - 2 * restartCount) {
            return false;
        }
        if (restart) {
            restarts[restartCount++] = position;
        }
        putHead(shared, follow, attributes.length);
        System.arraycopy(key.bytes(), shared, block, position, follow);
        position += follow;
        if (rank < 0) {
            putByte(LITERAL);
            putByte(key.domainLength());
            System.arraycopy(key.bytes(), key.domainStart(), block, position, key.domainLength());
            position += key.domainLength();
        } else {
            putRank(rank);
        }
        System.arraycopy(attributes, 0, block, position, attributes.length);
        position += attributes.length;
        return true;
    }

    private static int sharedLocal(Key a, Key b) {
        int mismatch =
                Arrays.mismatch(a.bytes(), 0, a.localLength(), b.bytes(), 0, b.localLength());
        return mismatch < 0 ? a.localLength() : mismatch;
    }

    private void putHead(int shared, int follow, int attributes) {
        if (attributes == 0 && shared < EXTENDED && follow < 16) {
            putByte(shared << 4 | follow);
            return;
        }
        putByte(EXTENDED << 4 | (attributes > 0 ? HAS_ATTRIBUTES : 0));
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
        block = new byte[SIZE];
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

    /** CRC-32C of the checksums of all blocks in order. */
    int checksumOfBlocks() {
        return (int) checksums.getValue();
    }

    /** The serial form of the {@link BlockIndex}. */
    byte[] index() {
        return index.toByteArray();
    }
}
