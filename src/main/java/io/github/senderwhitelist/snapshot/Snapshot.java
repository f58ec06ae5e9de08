package io.github.senderwhitelist.snapshot;

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
import java.util.function.Predicate;

/**
 * One list as one file opened for questions: two filters, copied into memory and checked, and the
 * exact store, left on disk. Immutable; any number of threads may ask.
 */
public final class Snapshot implements Closeable {
    /**
     * The largest store that is mapped, in bytes: a page that has to come from the disk holds up
     * the whole runtime at its next safepoint, so only what is likely to stay in memory is mapped.
     */
    static final long MOST_MAPPED = 256L << 20;

    private final DiskFile file;
    private final SnapshotHeader header;
    private final KeyHasher hasher;
    private final Filter addressFilter;
    private final Filter domainFilter;
    private final @Nullable BlockStore store;

    private Snapshot(
            DiskFile file,
            SnapshotHeader header,
            Filter addressFilter,
            Filter domainFilter,
            @Nullable BlockStore store) {
        this.file = file;
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
    public static Snapshot open(Disk disk, Path path) throws IOException {
        boolean near = disk.isOnThisMachine(path);
        return open(
                disk.openShared(path), path, header -> near && header.storeBytes() <= MOST_MAPPED);
    }

    /** Opens the filters of a snapshot and nothing else. */
    public static Snapshot openFilters(Disk disk, Path path) throws IOException {
        DiskFile file = disk.open(path);
        try (file) {
            SnapshotHeader header = readHeader(path, file);
            return new Snapshot(
                    file,
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
     * Opens a snapshot that has just been written, whole, from its open file, which is the
     * snapshot's from now on.
     */
    public static Snapshot open(DiskFile file, Path path) throws IOException {
        return open(file, path, header -> false);
    }

    private static Snapshot open(DiskFile file, Path path, Predicate<SnapshotHeader> mapped)
            throws IOException {
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
                    BlockStore store = openBlocks(file, path, header, mapped.test(header));
                    return new Snapshot(file, header, addresses, domains, store);
                });
    }

    /**
     * Opens the exact store of a snapshot, to go through all entries or for a few questions: its
     * filters, which are most of what would be read, are left out, and filters that say "maybe" to
     * everything stand in their place.
     */
    public static Snapshot openStore(Disk disk, Path path) throws IOException {
        return openStore(disk.open(path), path);
    }

    /** Opens the exact store in an open file, which is the snapshot's from now on. */
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
                    BlockStore store = openBlocks(file, path, header, false);
                    return new Snapshot(file, header, maybe, maybe, store);
                });
    }

    /** Opens something. */
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

    /** Returns whether a file says that it is a snapshot. */
    public static boolean isSnapshot(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer start =
                    ByteBuffer.allocate((int) Math.min(file.size(), SnapshotHeader.magicLength()));
            file.readFully(start, 0);
            return SnapshotHeader.isSnapshot(start.array());
        }
    }

    /** Reads and checks the header of a snapshot and nothing else. */
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

    static BlockStore openBlocks(DiskFile file, Path path, SnapshotHeader header, boolean mapped)
            throws IOException {
        return BlockStore.open(
                file,
                path,
                header.blocks().offset(),
                header.blockCount(),
                header.salt(),
                readChecked(path, file, header.dictionary(), "dictionary"),
                readChecked(path, file, header.index(), "index"),
                mapped);
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

    /** What the file says of itself. */
    public SnapshotHeader header() {
        return header;
    }

    /** The hash that both filters work on. */
    public KeyHasher hasher() {
        return hasher;
    }

    /** The filter over the listed addresses. */
    public Filter addressFilter() {
        return addressFilter;
    }

    /** The filter over the listed domains. */
    public Filter domainFilter() {
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
        file.close();
    }
}
