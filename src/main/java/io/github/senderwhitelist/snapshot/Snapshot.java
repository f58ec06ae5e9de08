package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.Filter;
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
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An open snapshot: two filters, which were copied into memory and verified, and the exact store,
 * which stays on disk unless it is small. It is immutable and safe for use by many threads.
 */
public final class Snapshot implements Closeable {
    /**
     * The bytes that a small snapshot takes: a page each for the header, the three parts of the
     * exact store, and a filter. Of a large one, the pages that its parts do not fill take less.
     */
    public static final long SMALLEST = 5L * SnapshotWriter.ALIGNMENT;

    /** The largest exact store that is held in memory unless settings say otherwise, in bytes. */
    public static final long EXACT_MEMORY = 32L << 20;

    private final DiskFile file;
    private final Path path;
    private final SnapshotHeader header;
    private final KeyHasher hasher;
    private final Filter addressFilter;
    private final Filter domainFilter;
    private final @Nullable BlockStore store;

    private Snapshot(
            DiskFile file,
            Path path,
            SnapshotHeader header,
            Filter addressFilter,
            Filter domainFilter,
            @Nullable BlockStore store) {
        this.file = file;
        this.path = path;
        this.header = header;
        this.hasher = new KeyHasher(header.seed());
        this.addressFilter = addressFilter;
        this.domainFilter = domainFilter;
        this.store = store;
    }

    /**
     * Opens a snapshot. Verifies the header and the checksums of all that is kept in memory.
     *
     * @throws SnapshotException if the file is no snapshot, damaged, or of another version
     */
    public static Snapshot open(Disk disk, Path path) throws IOException {
        return open(disk, path, 0);
    }

    /**
     * Opens a snapshot, with its exact store in memory if it takes at most {@code exactMemory}
     * bytes.
     *
     * @throws SnapshotException as {@link #open(Disk, Path)} does
     * @throws IOException also if one of these blocks is damaged
     */
    public static Snapshot open(Disk disk, Path path, long exactMemory) throws IOException {
        return open(disk.open(path), path, exactMemory);
    }

    /**
     * Opens the filters of a snapshot and nothing else.
     *
     * @throws SnapshotException as {@link #open(Disk, Path)} does
     */
    public static Snapshot openFilters(Disk disk, Path path) throws IOException {
        DiskFile file = disk.open(path);
        try (file) {
            SnapshotHeader header = readHeader(path, file);
            return new Snapshot(
                    file,
                    path,
                    header,
                    FilterSection.read(
                            file, header.addressFilterBits(), header.addressFilter(), path),
                    FilterSection.read(
                            file, header.domainFilterBits(), header.domainFilter(), path),
                    null);
        } catch (EOFException e) {
            throw shorter(path);
        }
    }

    /**
     * Opens a snapshot from its open file, which the snapshot closes from now on.
     *
     * @param path the name of the file in messages
     * @throws SnapshotException as {@link #open(Disk, Path)} does
     */
    public static Snapshot open(DiskFile file, Path path) throws IOException {
        return open(file, path, 0);
    }

    private static Snapshot open(DiskFile file, Path path, long exactMemory) throws IOException {
        return closingOnFailure(
                file,
                path,
                () -> {
                    SnapshotHeader header = readHeader(path, file);
                    Filter addresses =
                            FilterSection.read(
                                    file, header.addressFilterBits(), header.addressFilter(), path);
                    Filter domains =
                            FilterSection.read(
                                    file, header.domainFilterBits(), header.domainFilter(), path);
                    BlockStore store = openBlocks(file, path, header);
                    boolean inMemory = header.storeBytes() <= exactMemory;
                    return new Snapshot(
                            file,
                            path,
                            header,
                            addresses,
                            domains,
                            inMemory ? store.inMemory() : store);
                });
    }

    /**
     * Opens the exact store of a snapshot, for a few lookups or to read all entries. Its filters,
     * which are most of what would be read, are replaced by filters that answer "maybe" to
     * everything.
     *
     * @throws SnapshotException as {@link #open(Disk, Path)} does
     */
    public static Snapshot openStore(Disk disk, Path path) throws IOException {
        return openStore(disk.open(path), path);
    }

    /** Opens the exact store in an open file, which the snapshot closes from now on. */
    public static Snapshot openStore(DiskFile file, Path path) throws IOException {
        Filter maybe = new FilterShape(FilterKind.CLASSIC, FilterShape.STEP, 1).create();
        long[] ones = new long[(int) (FilterShape.STEP / Long.SIZE)];
        Arrays.fill(ones, -1);
        maybe.read(0, LongBuffer.wrap(ones));
        return closingOnFailure(
                file,
                path,
                () -> {
                    SnapshotHeader header = readHeader(path, file);
                    BlockStore store = openBlocks(file, path, header);
                    return new Snapshot(file, path, header, maybe, maybe, store);
                });
    }

    /** Opens a snapshot from its file. */
    @FunctionalInterface
    private interface Opener {
        Snapshot open() throws IOException;
    }

    private static Snapshot closingOnFailure(DiskFile file, Path path, Opener opener)
            throws IOException {
        try {
            return opener.open();
        } catch (EOFException e) {
            file.close();
            throw shorter(path);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private static SnapshotException shorter(Path path) {
        return new SnapshotException(
                path, "damaged: it became shorter while it was read. Build or copy it again");
    }

    /** Returns whether a file begins with the magic bytes of a snapshot. */
    public static boolean isSnapshot(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer start =
                    ByteBuffer.allocate((int) Math.min(file.size(), SnapshotHeader.magicLength()));
            file.readFully(start, 0);
            return SnapshotHeader.isSnapshot(start.array());
        }
    }

    /** Reads and verifies the header of a snapshot and nothing else. */
    public static SnapshotHeader readHeader(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            return readHeader(path, file);
        }
    }

    static SnapshotHeader readHeader(Path path, DiskFile file) throws IOException {
        long length = file.size();
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(length, SnapshotHeader.SIZE));
        file.readFully(bytes, 0);
        return SnapshotHeader.decode(bytes.array(), path, length);
    }

    static BlockStore openBlocks(DiskFile file, Path path, SnapshotHeader header)
            throws IOException {
        ByteBuffer ranks = readChecked(path, file, header.ranks(), "table of ranks");
        ByteBuffer index = readChecked(path, file, header.index(), "index");
        try {
            return BlockStore.open(
                    file, path, header.blocks().offset(), header.blockCount(), ranks, index);
        } catch (IOException e) {
            // The disk is not to blame: both were read, and are what was written.
            throw new SnapshotException(
                    path,
                    "its exact store makes no sense to this version ("
                            + e.getMessage()
                            + "). Build the snapshot again with this version");
        }
    }

    private static ByteBuffer readChecked(Path path, DiskFile in, Section section, String name)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) section.length()).order(Serial.ORDER);
        in.readFully(bytes, section.offset());
        if (Checksums.crc(bytes.duplicate()) != section.checksum()) {
            throw new SnapshotException(
                    path,
                    "damaged: its "
                            + name
                            + " has a wrong checksum. Build or copy the snapshot again");
        }
        return bytes;
    }

    /**
     * Returns what a living list keeps with its snapshot; empty in others.
     *
     * @throws SnapshotException if it is damaged
     */
    public byte[] feed() throws IOException {
        return readChecked(path, file, header.feed(), "place in the feed").array();
    }

    /** Returns the header of the file. */
    public SnapshotHeader header() {
        return header;
    }

    /** Returns the hash function of both filters. */
    public KeyHasher hasher() {
        return hasher;
    }

    /** Returns the filter of the addresses. */
    public Filter addressFilter() {
        return addressFilter;
    }

    /** Returns the filter of the domain entries. */
    public Filter domainFilter() {
        return domainFilter;
    }

    /** Returns whether the filter of this kind of keys may have a key; false is certain. */
    public boolean mightContain(Key key) {
        Filter filter = key.isDomain() ? domainFilter : addressFilter;
        return filter.mightContain(hasher.hash(key));
    }

    /** Returns the exact store, or null if only the filters were opened. */
    public @Nullable BlockStore store() {
        return store;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
