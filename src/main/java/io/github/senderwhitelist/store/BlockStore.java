package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The exact set of entries in a snapshot. On disk are blocks of sorted entries (see {@link
 * BlockReader}); in memory are the index of the blocks, the frequent domains and forms, and the
 * blocks of a small store. A lookup reads one block, whatever the size of the list.
 *
 * <p>Blocks are read, not mapped into memory. A mapped block costs half as much while its page is
 * in memory. But a thread that waits for a page to come from the disk cannot reach a safepoint, so
 * it holds up all other threads of the runtime.
 */
public final class BlockStore implements ExactStore {
    /** The size of a block, in bytes. */
    public static final int BLOCK = BlockReader.SIZE;

    /** What a thread reads a block into; a new array for each would miss its caches. */
    private static final ThreadLocal<byte[]> READ = ThreadLocal.withInitial(() -> new byte[BLOCK]);

    private final DiskFile file;
    private final Path path;
    private final long start;
    private final byte[][] domains;
    private final byte[][] forms;
    private final BlockIndex index;

    /** The blocks that are in memory: all, or none. */
    private byte[][] inMemory = {};

    /**
     * Opens the store in a file, which the caller closes and messages call {@code path}. Its blocks
     * have so many bytes from {@code start} on. The serial forms have right checksums.
     */
    public BlockStore(
            DiskFile file, Path path, long start, long length, ByteBuffer ranks, ByteBuffer index)
            throws IOException {
        this.file = file;
        this.path = path;
        this.start = start;
        this.domains = Ranks.read(ranks, BlockReader.MAX_DOMAINS);
        this.forms = Ranks.read(ranks, BlockReader.MAX_FORMS);
        this.index = new BlockIndex(index, length / BLOCK);
    }

    /** Returns the CRC-32C of the first bytes of an array. */
    public static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /** Takes all blocks into memory, before anybody asks. The file is not read any more. */
    public void load() throws IOException {
        byte[][] blocks = new byte[index.blocks()][];
        for (int number = 0; number < blocks.length; number++) {
            blocks[number] = block(number, new byte[BLOCK]);
        }
        inMemory = blocks;
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        int number = index.find(SortKey.of(key, to));
        if (number < 0) {
            return null;
        }
        byte[] block = block(number, READ.get());
        try {
            return new BlockReader(domains, forms, block).find(key, to);
        } catch (IOException | IndexOutOfBoundsException e) {
            throw failure(number, "makes no sense: " + e.getMessage(), e);
        }
    }

    /** Returns a block: that in memory, or what is read into {@code buffer}. */
    private byte[] block(int number, byte[] buffer) throws IOException {
        if (inMemory.length > 0) {
            return inMemory[number];
        }
        try {
            file.readFully(ByteBuffer.wrap(buffer), start + (long) number * BLOCK);
        } catch (IOException e) {
            String cause = String.valueOf(e.getMessage()).replace(path + ": ", "");
            throw failure(number, "cannot be read: " + cause, e);
        }
        if (!index.isRight(number, buffer)) {
            String how = "has a wrong checksum: damaged or overwritten since it was opened";
            throw failure(number, how, null);
        }
        return buffer;
    }

    private IOException failure(int number, String what, @Nullable Exception cause) {
        return new IOException(path + ": block " + number + " of its exact store " + what, cause);
    }

    /** Reads every block and compares its checksum. */
    public void verify() throws IOException {
        for (int number = 0; number < index.blocks(); number++) {
            block(number, READ.get());
        }
    }

    /** Returns a walk through all entries in order, or from a few before one on. */
    public Walk walk(@Nullable Entry from) {
        return new Walk(
                from == null ? 0 : Math.max(0, index.find(SortKey.of(from.key(), from.to()))));
    }

    /** Reads one entry after the other, verifying every block. For one thread. */
    public final class Walk {
        private final byte[] buffer = new byte[BLOCK];
        private int next;
        private @Nullable BlockReader reader;

        private Walk(int first) {
            next = first;
        }

        /** Returns the next entry, or null after the last one. */
        public @Nullable Entry next() throws IOException {
            while (true) {
                try {
                    Entry entry = reader == null ? null : reader.next();
                    if (entry != null || next == index.blocks()) {
                        return entry;
                    }
                } catch (IOException | IndexOutOfBoundsException e) {
                    throw failure(next - 1, "makes no sense: " + e.getMessage(), e);
                }
                reader = new BlockReader(domains, forms, block(next++, buffer));
            }
        }
    }
}
