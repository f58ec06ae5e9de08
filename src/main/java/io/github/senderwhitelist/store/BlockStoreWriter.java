package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Writes the blocks of an exact store, and makes its dictionary and its index. */
public final class BlockStoreWriter {
    private final DomainDictionary dictionary;
    private final BlockWriter writer;

    /**
     * Creates a writer of blocks to {@code out}.
     *
     * @param domains the domains of the dictionary, the commonest first; others are spelled out
     *     where they occur
     * @param salt the salt of the checksums
     */
    public BlockStoreWriter(OutputStream out, List<byte[]> domains, long salt) {
        this.dictionary = DomainDictionary.of(domains);
        this.writer = new BlockWriter(out, dictionary, salt);
    }

    /**
     * Appends the entry with the sort key {@code key[0, length)}. Entries must come in the order of
     * their keys, each key once.
     *
     * @param rules its rules, encoded by {@link RulesCodec}
     */
    public void append(byte[] key, int length, byte[] rules) throws IOException {
        writer.append(key, length, rules);
    }

    /** Writes the last block. */
    public void finish() throws IOException {
        writer.finish();
    }

    /** Returns the CRC-32C of the checksums of all blocks in order, after {@link #finish}. */
    public int checksum() {
        return writer.checksumOfBlocks();
    }

    /** Returns the number of blocks written. */
    public long blocks() {
        return writer.blocks();
    }

    /** Returns the size of a block, in bytes. */
    public static int blockSize() {
        return BlockFormat.SIZE;
    }

    /** Returns the serial form of the dictionary of domains. */
    public byte[] dictionary() {
        return dictionary.serial();
    }

    /** Returns the serial form of the index of blocks, after {@link #finish}. */
    public byte[] index() {
        return writer.index();
    }
}
