package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The exact set of entries in a snapshot. On disk are blocks of sorted entries (see {@link
 * BlockReader}); in memory are the index of the blocks, the frequent domains and rules, and the
 * blocks of a small store. A lookup reads one block, whatever the size of the list.
 *
 * <p>Blocks are read, not mapped into memory. A mapped block costs half as much while its page is
 * in memory. But a thread that waits for a page to come from the disk cannot reach a safepoint, so
 * it holds up all other threads of the runtime.
 */
public final class BlockStore implements ExactStore {
    /** The size of a block, in bytes. */
    public static final int BLOCK = BlockReader.SIZE;

    private static final int SPARES = 16;

    /** Readers that nobody uses; a thread that finds none makes one. */
    private final AtomicReferenceArray<@Nullable BlockReader> spares =
            new AtomicReferenceArray<>(SPARES);

    private final DiskFile file;
    private final Path path;
    private final long start;
    private final Ranks domains;
    private final Ranks rules;
    private final BlockIndex index;

    /** The blocks that are in memory: all, or none. */
    private final byte[][] inMemory;

    private BlockStore(
            DiskFile file,
            Path path,
            long start,
            Ranks domains,
            Ranks rules,
            BlockIndex index,
            byte[][] inMemory) {
        this.file = file;
        this.path = path;
        this.start = start;
        this.domains = domains;
        this.rules = rules;
        this.index = index;
        this.inMemory = inMemory;
    }

    /**
     * Opens the store in a file, which the caller closes.
     *
     * @param path the name of the file in messages
     * @param start the position of the first block
     * @param blocks the number of blocks
     * @param ranks the serial form of the ranks, its checksum verified
     * @param index the serial form of the index of blocks, its checksum verified
     * @throws IOException if the ranks or the index are not valid
     */
    public static BlockStore open(
            DiskFile file, Path path, long start, long blocks, ByteBuffer ranks, ByteBuffer index)
            throws IOException {
        Ranks domains = Ranks.read(ranks);
        Ranks rules = Ranks.read(ranks);
        BlockIndex read = BlockIndex.read(index, blocks);
        return new BlockStore(file, path, start, domains, rules, read, new byte[0][]);
    }

    /**
     * Returns the same store with its blocks in memory. The file is not read any more.
     *
     * @throws IOException if a block cannot be read, or has a wrong checksum
     */
    public BlockStore inMemory() throws IOException {
        byte[][] copies = new byte[index.blocks()][];
        for (int number = 0; number < copies.length; number++) {
            copies[number] = block(number, new byte[BLOCK]);
        }
        return new BlockStore(file, path, start, domains, rules, index, copies);
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        int number = index.find(SortKey.of(key, to));
        if (number < 0) {
            return null;
        }
        int slot = (int) Thread.currentThread().threadId() & (SPARES - 1);
        BlockReader spare = spares.getAndSet(slot, null);
        BlockReader reader = spare == null ? reader() : spare;
        try {
            byte[] block = block(number, reader.buffer);
            try {
                reader.start(block);
                return reader.find(key, to);
            } catch (IOException | IndexOutOfBoundsException e) {
                throw senseless(number, e);
            }
        } finally {
            spares.set(slot, reader);
        }
    }

    private BlockReader reader() {
        return new BlockReader(domains, rules);
    }

    /**
     * Returns a block.
     *
     * @param buffer room for it, which may be overwritten and returned
     * @throws IOException if it cannot be read, or has a wrong checksum
     */
    private byte[] block(int number, byte[] buffer) throws IOException {
        if (inMemory.length > 0) {
            return inMemory[number];
        }
        try {
            file.readFully(ByteBuffer.wrap(buffer), start + (long) number * BLOCK);
        } catch (EOFException e) {
            throw new IOException(
                    path + ": ends before block " + number + " of its exact store", e);
        } catch (IOException e) {
            throw new IOException(
                    path
                            + ": block "
                            + number
                            + " of its exact store cannot be read: "
                            + String.valueOf(e.getMessage()).replace(path + ": ", ""),
                    e);
        }
        if (!index.isRight(number, buffer)) {
            throw new IOException(
                    path
                            + ": block "
                            + number
                            + " of its exact store has a wrong checksum: damaged or overwritten"
                            + " since it was opened");
        }
        return buffer;
    }

    /** Returns the failure to read a block whose checksum is right. */
    private IOException senseless(int number, Exception cause) {
        return new IOException(
                path
                        + ": block "
                        + number
                        + " of its exact store makes no sense: "
                        + cause.getMessage(),
                cause);
    }

    /** Takes the entries of a store. */
    @FunctionalInterface
    public interface Visitor {
        /** Takes the next entry. */
        void visit(Entry entry) throws IOException;
    }

    /** Passes all entries to a visitor in the order of keys, verifying every block. */
    public void forEach(Visitor visitor) throws IOException {
        Walk walk = walk();
        for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
            visitor.visit(entry);
        }
    }

    /** Returns a walk through all entries in the order of keys. */
    public Walk walk() {
        return new Walk();
    }

    /** Reads every block and compares its checksum. */
    public void verify() throws IOException {
        byte[] buffer = new byte[BLOCK];
        for (int number = 0; number < index.blocks(); number++) {
            block(number, buffer);
        }
    }

    /** Reads one entry after the other, verifying every block. For one thread. */
    public final class Walk {
        private int number = -1;
        private final BlockReader reader = reader();

        private Walk() {}

        /** Returns the next entry, or null after the last one. */
        public @Nullable Entry next() throws IOException {
            Entry entry = nextInBlock();
            while (entry == null && number + 1 < index.blocks()) {
                number++;
                reader.start(block(number, reader.buffer));
                entry = nextInBlock();
            }
            return entry;
        }

        private @Nullable Entry nextInBlock() throws IOException {
            try {
                return reader.next();
            } catch (IOException | IndexOutOfBoundsException e) {
                throw senseless(number, e);
            }
        }
    }

    /** Returns the memory that index and ranks take, in bytes. */
    public long memory() {
        return index.memory() + domains.memory() + rules.memory();
    }
}
