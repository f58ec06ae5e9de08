package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.CRC_AT;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32C;

/**
 * The exact set of entries in a snapshot. On disk are blocks of sorted entries, each with a
 * checksum (see {@link BlockFormat}); in memory are the index of the blocks and the common domains,
 * and the blocks of a small store. A lookup reads one block, whatever the size of the list.
 */
public final class BlockStore implements ExactStore {
    private static final Key NONE = Key.of(new byte[0], new byte[0]);

    private static final int SPARES = 16;

    /** Cursors to read blocks with; a thread that finds none makes one. */
    private final AtomicReferenceArray<@Nullable BlockCursor> spares =
            new AtomicReferenceArray<>(SPARES);

    private final Path path;
    private final Blocks source;
    private final BlockIndex index;
    private final DomainDictionary dictionary;
    private final EntryCodes codes;
    private final long blocks;

    private BlockStore(
            Path path,
            Blocks source,
            BlockIndex index,
            DomainDictionary dictionary,
            EntryCodes codes,
            long blocks) {
        this.path = path;
        this.source = source;
        this.index = index;
        this.dictionary = dictionary;
        this.codes = codes;
        this.blocks = blocks;
    }

    /**
     * Opens the store in a file, which the caller closes.
     *
     * @param path the name of the file in messages
     * @param start the position of the first block
     * @param blocks the number of blocks
     * @param salt the salt of their checksums
     * @param dictionary the serial form of codes and dictionary, its checksum verified
     * @param index the serial form of the index of blocks, its checksum verified
     * @throws IOException if the dictionary or the index is not valid
     */
    public static BlockStore open(
            DiskFile file,
            Path path,
            long start,
            long blocks,
            long salt,
            ByteBuffer dictionary,
            ByteBuffer index)
            throws IOException {
        EntryCodes codes = EntryCodes.read(dictionary);
        DomainDictionary domains = DomainDictionary.read(dictionary, codes.of(Field.DOMAIN_NEXT));
        BlockIndex firstKeys = BlockIndex.read(index, blocks);
        BlockFile reading = new BlockFile(file, path, start, salt);
        return new BlockStore(path, reading, firstKeys, domains, codes, blocks);
    }

    /**
     * Returns the same store with its blocks in memory. The file is not read any more.
     *
     * @throws IOException if a block cannot be read, or has a wrong checksum
     */
    public BlockStore inMemory() throws IOException {
        Blocks copies = new MemoryBlocks(source, Math.toIntExact(blocks));
        return new BlockStore(path, copies, index, dictionary, codes, blocks);
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        byte[] sortKey = SortKey.of(key, to);
        int number = index.find(sortKey);
        if (number < 0) {
            return null;
        }
        int slot = (int) Thread.currentThread().threadId() & (SPARES - 1);
        BlockCursor spare = spares.getAndSet(slot, null);
        BlockCursor cursor = spare == null ? new BlockCursor(dictionary, codes) : spare;
        try {
            read(number, cursor);
            return cursor.seek(key, to, sortKey) ? entry(cursor, key, to, number) : null;
        } catch (IndexOutOfBoundsException e) {
            throw damaged(number, e);
        } finally {
            spares.set(slot, cursor);
        }
    }

    private void read(long number, BlockCursor cursor) throws IOException {
        cursor.start(source.get(number, cursor.buffer));
    }

    private Entry entry(BlockCursor cursor, Key key, @Nullable Key to, long number)
            throws IOException {
        try {
            return RulesCodec.decode(cursor.rules, 0, cursor.rules.length).entry(key, to);
        } catch (IOException e) {
            throw new IOException(
                    path + ": block " + number + " of its exact store: " + e.getMessage(), e);
        }
    }

    private IOException damaged(long number, RuntimeException cause) {
        return new IOException(
                path + ": block " + number + " of its exact store makes no sense", cause);
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

    /** Verifies every block and returns the CRC-32C of the checksums of all blocks in order. */
    public int checksum() throws IOException {
        CRC32C checksums = new CRC32C();
        byte[] buffer = new byte[Blocks.ROOM];
        for (long number = 0; number < blocks; number++) {
            checksums.update(source.get(number, buffer), CRC_AT, Integer.BYTES);
        }
        return (int) checksums.getValue();
    }

    /** Reads one entry after the other, verifying every block. For one thread. */
    public final class Walk {
        private long number = -1;
        private final BlockCursor cursor = new BlockCursor(dictionary, codes);
        private Key sender = NONE;

        private Walk() {}

        /** Returns the next entry, or null after the last one. */
        public @Nullable Entry next() throws IOException {
            try {
                while (number < 0 || number >= blocks || !cursor.next()) {
                    if (number + 1 >= blocks) {
                        number = blocks;
                        return null;
                    }
                    read(++number, cursor);
                }
                if (cursor.hasSender) {
                    sender = cursor.sender.key();
                }
                Key recipients = cursor.forSome ? cursor.recipients.key() : null;
                return entry(cursor, sender, recipients, number);
            } catch (IndexOutOfBoundsException e) {
                throw damaged(number, e);
            }
        }
    }

    /** Returns the memory that index, dictionary and codes take, in bytes. */
    public long memory() {
        return index.memory() + dictionary.memory() + codes.memory();
    }
}
