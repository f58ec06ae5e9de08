package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.Filter;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Copies finished snapshots and verifies the copies. */
public final class SnapshotFiles {
    /** The bytes that are copied between two calls of {@link Pause#check}. */
    private static final long PIECE = 64L << 20;

    private SnapshotFiles() {}

    /** A check between the pieces of a copy, which can end it. */
    @FunctionalInterface
    public interface Pause {
        /** Does nothing if the copy may go on; throws an exception to end it. */
        void check();
    }

    /**
     * Replaces {@code target} by a verified copy of a finished snapshot. Every checksum of the copy
     * is compared, so if the source is damaged, the target stays as it was. On file systems that
     * can share blocks between files (Btrfs, XFS, ZFS, NFS 4.2), the system may do so.
     *
     * @param admission checks the verified copy before it replaces the target
     * @throws SnapshotException if the source is no snapshot, or damaged
     */
    public static void copy(Disk disk, Path source, Path target, Admission admission, Pause pause)
            throws IOException {
        try (AtomicFile copy = AtomicFile.of(disk, target)) {
            try (DiskFile in = disk.open(source)) {
                long size = in.size();
                long at = 0;
                while (at < size) {
                    pause.check();
                    long count = in.copyTo(copy.file(), at, Math.min(PIECE, size - at));
                    if (count <= 0) {
                        throw new SnapshotException(
                                source, "damaged: it became shorter while it was read");
                    }
                    at += count;
                }
            }
            admission.check(verify(copy.file(), source));
            copy.publish();
        }
    }

    /**
     * Compares every checksum of a snapshot and returns its header. The filters are kept meanwhile:
     * if there is not enough memory for them, an {@link OutOfMemoryError} is thrown before the copy
     * replaces a snapshot that can be opened.
     *
     * @param name the name of the snapshot in messages
     * @throws SnapshotException if a checksum is wrong
     */
    private static SnapshotHeader verify(DiskFile file, Path name) throws IOException {
        SnapshotHeader header = Snapshot.readHeader(name, file);
        Filter[] filters = {
            FilterSection.read(file, header.addressFilterBits(), header.addressFilter(), name),
            FilterSection.read(file, header.domainFilterBits(), header.domainFilter(), name)
        };
        try {
            Snapshot.openBlocks(file, name, header).verify();
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
}
