package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
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
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * An open snapshot: two filters, which were copied into memory and verified, and the exact store,
 * which stays on disk unless it is small. It is immutable and safe for use by many threads. To open
 * a file that is no snapshot, damaged, or of another version throws a {@link SnapshotException}.
 *
 * @param path the name of the file in messages
 * @param hasher the hash function of both filters
 * @param domainFilter the filter of the domain entries
 * @param store the exact store, or null if only the filters were opened
 */
public record Snapshot(
        DiskFile file,
        Path path,
        SnapshotHeader header,
        KeyHasher hasher,
        Filter addressFilter,
        Filter domainFilter,
        @Nullable BlockStore store)
        implements Closeable {
    /**
     * The bytes that a small snapshot takes: a page for the header, each part of the exact store,
     * and a filter. Of a large one, the pages that its parts do not fill take less.
     */
    public static final long SMALLEST = 5L * Section.ALIGNMENT;

    /** The largest exact store that is held in memory unless settings say otherwise, in bytes. */
    public static final long EXACT_MEMORY = 32L << 20;

    /** Opens a snapshot, with its exact store on the disk. */
    public static Snapshot open(Disk disk, Path path) throws IOException {
        return open(disk.open(path), path, 0);
    }

    /**
     * Opens a snapshot from its open file, which the snapshot closes from now on, with its exact
     * store in memory if it has at most so many bytes.
     */
    public static Snapshot open(DiskFile file, Path path, long exactMemory) throws IOException {
        return open(file, path, true, true, exactMemory);
    }

    /** Opens the filters of a snapshot from its open file, which is closed. */
    public static Snapshot openFilters(DiskFile file, Path path) throws IOException {
        return open(file, path, true, false, 0);
    }

    /**
     * Opens the exact store in an open file, which the snapshot closes from now on. Its filters,
     * which are most of what would be read, are replaced by ones that answer "maybe" to everything.
     */
    public static Snapshot openStore(DiskFile file, Path path) throws IOException {
        return open(file, path, false, true, 0);
    }

    private static Snapshot open(
            DiskFile file, Path path, boolean withFilters, boolean withStore, long exactMemory)
            throws IOException {
        boolean isUsed = false;
        try {
            SnapshotHeader header = readHeader(file, path);
            Filter addresses = maybe();
            Filter domains = addresses;
            if (withFilters) {
                addresses = header.addressBits().read(file, header.addressFilter(), path);
                domains = header.domainBits().read(file, header.domainFilter(), path);
            }
            BlockStore store = withStore ? store(file, path, header) : null;
            if (store != null && header.storeBytes() <= exactMemory) {
                store.load();
            }
            isUsed = withStore;
            KeyHasher hasher = new KeyHasher(header.seed());
            return new Snapshot(file, path, header, hasher, addresses, domains, store);
        } catch (EOFException e) {
            throw SnapshotException.damaged(path, "it became shorter while it was read");
        } finally {
            if (!isUsed) {
                file.close();
            }
        }
    }

    private static Filter maybe() {
        Filter maybe = new FilterShape(FilterKind.CLASSIC, FilterShape.STEP, 1).create();
        maybe.read(0, LongBuffer.wrap(new long[] {-1, -1, -1, -1, -1, -1, -1, -1}));
        return maybe;
    }

    private static BlockStore store(DiskFile file, Path path, SnapshotHeader header)
            throws IOException {
        ByteBuffer ranks = header.ranks().read(file, path, "its table of ranks");
        ByteBuffer index = header.index().read(file, path, "its index");
        Section blocks = header.blocks();
        try {
            return new BlockStore(file, path, blocks.offset(), blocks.length(), ranks, index);
        } catch (IOException e) {
            // The disk is not to blame: both were read, and are what was written.
            throw new SnapshotException(
                    path,
                    ("its exact store makes no sense to this version (%s). Build the snapshot"
                                    + " again with this version")
                            .formatted(e.getMessage()));
        }
    }

    /**
     * Copies a finished snapshot into an empty file, which stays open, and compares every checksum
     * of the copy. The filters are read into memory: if there is not enough for them, an {@link
     * OutOfMemoryError} is thrown before the copy can replace a snapshot that can be opened. {@code
     * pause} is called between its pieces, and ends it by an exception.
     */
    public static SnapshotHeader copy(Disk disk, Path source, DiskFile copy, Runnable pause)
            throws IOException {
        try (InputStream in = disk.open(source).input()) {
            OutputStream out = copy.output(0);
            byte[] piece = new byte[Section.AT_ONCE];
            for (int count = in.read(piece); count > 0; count = in.read(piece)) {
                pause.run();
                out.write(piece, 0, count);
            }
        }
        Snapshot copied = open(copy, source, 0);
        try {
            Objects.requireNonNull(copied.store).verify();
            return copied.header;
        } catch (IOException e) {
            if (e.getCause() instanceof FileSystemException) {
                // The disk failed; the data may be undamaged.
                throw e;
            }
            String how = String.valueOf(e.getMessage()).replace(source + ": ", "");
            throw SnapshotException.damaged(source, how);
        }
    }

    /** Returns whether a file begins with the magic bytes of a snapshot. */
    public static boolean isSnapshot(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            return SnapshotHeader.isSnapshot(start(file, SnapshotHeader.MAGIC_LENGTH));
        }
    }

    /** Reads and verifies the header of a snapshot and nothing else. */
    public static SnapshotHeader readHeader(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            return readHeader(file, path);
        }
    }

    private static SnapshotHeader readHeader(DiskFile file, Path path) throws IOException {
        return SnapshotHeader.decode(start(file, SnapshotHeader.SIZE), path, file.size());
    }

    /** Returns the first bytes of a file, at most so many. */
    private static byte[] start(DiskFile file, int most) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), most));
        file.readFully(bytes, 0);
        return bytes.array();
    }

    /** Reads and verifies what a living list keeps with its snapshot; empty in others. */
    public byte[] feed() throws IOException {
        return header.feed().read(file, path, "its place in the log").array();
    }

    /** Returns whether the filter of this kind of keys may have a key; false is certain. */
    public boolean mightContain(Key key) {
        return (key.isDomain() ? domainFilter : addressFilter).mightContain(hasher.hash(key));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
