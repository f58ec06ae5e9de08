package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.filter.BloomFilter;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.store.Serial;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One list as one file opened for questions: two filters, copied into memory and checked, and the
 * exact store, left on disk. Immutable; any number of threads may ask.
 */
public final class Snapshot implements Closeable {
    private final SnapshotHeader header;
    private final KeyHasher hasher;
    private final BloomFilter addressFilter;
    private final BloomFilter domainFilter;
    private final @Nullable BlockStore store;

    private Snapshot(
            SnapshotHeader header,
            BloomFilter addressFilter,
            BloomFilter domainFilter,
            @Nullable BlockStore store) {
        this.header = header;
        this.hasher = new KeyHasher(header.seed());
        this.addressFilter = addressFilter;
        this.domainFilter = domainFilter;
        this.store = store;
    }

    /**
     * Opens a snapshot: checks the header, then the checksums of everything that is kept in memory,
     * before anything is answered.
     *
     * @throws SnapshotException when the file is no snapshot, damaged, or of another version
     */
    public static Snapshot open(Path file) throws IOException {
        return open(file, true);
    }

    /**
     * Opens a snapshot for a few questions: its filters, which are most of what would be read, are
     * left out, and filters that say "maybe" to everything stand in their place.
     */
    public static Snapshot openWithoutFilters(Path file) throws IOException {
        BloomFilter maybe = new FilterShape(FilterKind.CLASSIC, FilterShape.STEP, 1).create();
        for (LongBuffer words = maybe.words(); words.hasRemaining(); ) {
            words.put(-1);
        }
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            SnapshotHeader header = readHeader(file, in);
            return new Snapshot(header, maybe, maybe, openStore(file, in, header));
        }
    }

    /** Opens the filters of a snapshot and nothing else. */
    public static Snapshot openFilters(Path file) throws IOException {
        return open(file, false);
    }

    private static Snapshot open(Path file, boolean withStore) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            SnapshotHeader header = readHeader(file, in);
            BloomFilter addresses =
                    FilterSection.read(
                            in, header.addressFilterBits(), header.addressFilter(), file);
            BloomFilter domains =
                    FilterSection.read(in, header.domainFilterBits(), header.domainFilter(), file);
            return new Snapshot(
                    header, addresses, domains, withStore ? openStore(file, in, header) : null);
        } catch (EOFException e) {
            throw new SnapshotException(
                    file, "damaged: it became shorter while it was read. Build or copy it again");
        }
    }

    /**
     * Opens the exact store of a snapshot and nothing else: for a few questions, or to go through
     * all entries.
     */
    public static BlockStore openStore(Path file) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            return openStore(file, in, readHeader(file, in));
        }
    }

    /** Reads and checks the header of a snapshot and nothing else. */
    public static SnapshotHeader readHeader(Path file) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            return readHeader(file, in);
        }
    }

    static SnapshotHeader readHeader(Path file, FileChannel in) throws IOException {
        long length = in.size();
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(length, SnapshotHeader.SIZE));
        FileBytes.read(in, bytes, 0);
        return SnapshotHeader.decode(bytes.array(), file, length);
    }

    private static BlockStore openStore(Path file, FileChannel in, SnapshotHeader header)
            throws IOException {
        ByteBuffer dictionary = readChecked(file, in, header.dictionary(), "dictionary");
        ByteBuffer index = readChecked(file, in, header.index(), "index");
        BlockStore store =
                BlockStore.open(
                        file,
                        header.blocks().offset(),
                        header.blockCount(),
                        header.salt(),
                        dictionary,
                        index);
        // The store opens the file by its name: it must still be the file whose header this is.
        if (!readHeader(file).equals(header)) {
            store.close();
            throw new SnapshotException(file, "replaced while it was opened. Try again");
        }
        return store;
    }

    private static ByteBuffer readChecked(Path file, FileChannel in, Section section, String name)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) section.length()).order(Serial.ORDER);
        FileBytes.read(in, bytes, section.offset());
        if (FileBytes.crc(bytes.duplicate()) != section.checksum()) {
            throw new SnapshotException(
                    file,
                    "damaged: its "
                            + name
                            + " has a wrong checksum. Build or copy the snapshot again");
        }
        return bytes;
    }

    /** What the file says of itself. */
    public SnapshotHeader header() {
        return header;
    }

    /** The hash that both filters work on. */
    public KeyHasher hasher() {
        return hasher;
    }

    /** The filter over the listed addresses. */
    public BloomFilter addressFilter() {
        return addressFilter;
    }

    /** The filter over the listed domains. */
    public BloomFilter domainFilter() {
        return domainFilter;
    }

    /** The exact store; null when only the filters were opened. */
    public @Nullable BlockStore store() {
        return store;
    }

    @Override
    public void close() throws IOException {
        if (store != null) {
            store.close();
        }
    }
}
