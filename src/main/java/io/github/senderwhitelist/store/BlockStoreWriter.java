package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Writes the blocks of an exact store, then hands out its dictionary and index. */
public final class BlockStoreWriter {
    private final DomainDictionary dictionary;
    private final BlockWriter writer;

    /**
     * A writer of blocks to {@code out}.
     *
     * @param domains the domains worth a place in memory, the commonest first; others are spelled
     *     out where they occur
     * @param salt what the checksums are salted with
     */
    public BlockStoreWriter(OutputStream out, List<byte[]> domains, long salt) {
        this.dictionary = DomainDictionary.of(domains);
        this.writer = new BlockWriter(out, dictionary, salt);
    }

    /**
     * Appends the entry with the sort key {@code key[0, length)}; entries come in the order of
     * their keys, each key once.
     *
     * @param rules what it says, as {@link RulesCodec} has it
     */
    public void append(byte[] key, int length, byte[] rules) throws IOException {
        writer.append(key, length, rules);
    }

    /** Writes the last block. */
    public void finish() throws IOException {
        writer.finish();
    }

    /** CRC-32C of the checksums of all blocks in order, complete after {@link #finish}. */
    public int checksum() {
        return writer.checksumOfBlocks();
    }

    /** How many blocks were written. */
    public long blocks() {
        return writer.blocks();
    }

    /** The size of a block, in bytes. */
    public static int blockSize() {
        return BlockFormat.SIZE;
    }

    /** Serial form of the dictionary of domains. */
    public byte[] dictionary() {
        return dictionary.serial();
    }

    /** Serial form of the index of blocks, complete after {@link #finish}. */
    public byte[] index() {
        return writer.index();
    }
}
