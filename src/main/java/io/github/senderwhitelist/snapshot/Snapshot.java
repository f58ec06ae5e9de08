package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.FileSystemException;
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

    /** The bytes that are copied between two pauses. */
    private static final int COPIED_AT_ONCE = 1 << 20;

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
        return open(disk.open(path), path, Parts.ALL, exactMemory);
    }

    /**
     * Opens the filters of a snapshot and nothing else.
     *
     * @throws SnapshotException as {@link #open(Disk, Path)} does
     */
    public static Snapshot openFilters(Disk disk, Path path) throws IOException {
        return open(disk.open(path), path, Parts.FILTERS, 0);
    }

    /**
     * Opens a snapshot from its open file, which the snapshot closes from now on.
     *
     * @param path the name of the file in messages
     * @throws SnapshotException as {@link #open(Disk, Path)} does
     */
    public static Snapshot open(DiskFile file, Path path) throws IOException {
        return open(file, path, Parts.ALL, 0);
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
        return open(file, path, Parts.STORE, 0);
    }

    /** The parts of a snapshot that are opened. */
    private enum Parts {
        ALL,
        FILTERS,
        STORE
    }

    private static Snapshot open(DiskFile file, Path path, Parts parts, long exactMemory)
            throws IOException {
        boolean isUsed = false;
        try {
            SnapshotHeader header = readHeader(path, file);
            Filter[] filters =
                    parts == Parts.STORE
                            ? new Filter[] {maybe(), maybe()}
                            : readFilters(file, path, header);
            BlockStore store = parts == Parts.FILTERS ? null : openBlocks(file, path, header);
            if (store != null && header.storeBytes() <= exactMemory) {
                store = store.inMemory();
            }
            isUsed = store != null;
            return new Snapshot(file, path, header, filters[0], filters[1], store);
        } catch (EOFException e) {
            throw new SnapshotException(
                    path, "damaged: it became shorter while it was read. Build or copy it again");
        } finally {
            if (!isUsed) {
                file.close();
            }
        }
    }

    /** Returns the filter of addresses and that of domains. */
    private static Filter[] readFilters(DiskFile file, Path path, SnapshotHeader header)
            throws IOException {
        return new Filter[] {
            header.addressFilterBits().readFilter(file, header.addressFilter(), path),
            header.domainFilterBits().readFilter(file, header.domainFilter(), path)
        };
    }

    /** Returns a filter that answers "maybe" to everything. */
    private static Filter maybe() {
        Filter maybe = new FilterShape(FilterKind.CLASSIC, FilterShape.STEP, 1).create();
        long[] ones = new long[(int) (FilterShape.STEP / Long.SIZE)];
        Arrays.fill(ones, -1);
        maybe.read(0, LongBuffer.wrap(ones));
        return maybe;
    }

    /**
     * Replaces {@code target} by a verified copy of a finished snapshot. Every checksum of the copy
     * is compared, so if the source is damaged, the target stays as it was.
     *
     * @param admission checks the verified copy before it replaces the target
     * @param pause called between the pieces of the copy; ends it by an exception
     * @throws SnapshotException if the source is no snapshot, or damaged
     */
    public static void copy(
            Disk disk, Path source, Path target, Admission admission, Runnable pause)
            throws IOException {
        try (AtomicFile copy = AtomicFile.of(disk, target)) {
            try (DiskFile in = disk.open(source)) {
                long size = in.size();
                ByteBuffer piece = ByteBuffer.allocate(COPIED_AT_ONCE);
                for (long at = 0; at < size; at += piece.limit()) {
                    pause.run();
                    if (in.read(piece.clear(), at) <= 0) {
                        throw new SnapshotException(
                                source, "damaged: it became shorter while it was read");
                    }
                    copy.file().writeFully(piece.flip(), at);
                }
            }
            admission.check(verify(copy.file(), source));
            copy.publish();
        }
    }

    /**
     * Compares every checksum and returns the header. The filters are kept meanwhile: if there is
     * not enough memory for them, an {@link OutOfMemoryError} is thrown before the copy replaces a
     * snapshot that can be opened.
     */
    private static SnapshotHeader verify(DiskFile file, Path name) throws IOException {
        SnapshotHeader header = readHeader(name, file);
        Filter[] filters = readFilters(file, name, header);
        try {
            openBlocks(file, name, header).verify();
        } catch (IOException e) {
            if (e instanceof FileSystemException || e.getCause() instanceof FileSystemException) {
                // The disk failed; the data may be undamaged.
                throw e;
            }
            String message = String.valueOf(e.getMessage()).replace(name + ": ", "");
            throw new SnapshotException(
                    name, "damaged: " + message + ". Build or copy the snapshot again");
        } finally {
            Reference.reachabilityFence(filters);
        }
        return header;
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

    private static SnapshotHeader readHeader(Path path, DiskFile file) throws IOException {
        long length = file.size();
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(length, SnapshotHeader.SIZE));
        file.readFully(bytes, 0);
        return SnapshotHeader.decode(bytes.array(), path, length);
    }

    private static BlockStore openBlocks(DiskFile file, Path path, SnapshotHeader header)
            throws IOException {
        ByteBuffer ranks = header.ranks().read(file, path, "its table of ranks");
        ByteBuffer index = header.index().read(file, path, "its index");
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

    /**
     * Returns what a living list keeps with its snapshot; empty in others.
     *
     * @throws SnapshotException if it is damaged
     */
    public byte[] feed() throws IOException {
        return header.feed().read(file, path, "its place in the log").array();
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
