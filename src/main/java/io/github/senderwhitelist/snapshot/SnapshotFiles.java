package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.snapshot.SnapshotBuilder.Admission;
import io.github.senderwhitelist.sort.UnnamedFile;
import io.github.senderwhitelist.store.BlockStore;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Snapshots as files: copying them safely, and clearing away what killed processes left. */
public final class SnapshotFiles {
    /** Copied at a time, so that a copy can be stopped. */
    private static final long PIECE = 64L << 20;

    private SnapshotFiles() {}

    /** Is asked between the pieces of a copy; throws to end it. */
    @FunctionalInterface
    public interface Pause {
        /** Returns when the copy may go on. */
        void check();
    }

    /**
     * Puts a checked copy of a finished snapshot in place of {@code target}. Every checksum of the
     * copy is compared, so a damaged source leaves what was there before. Where the file system can
     * share blocks between files (Btrfs, XFS, ZFS, NFS 4.2), the system is left to do so.
     *
     * @param admission the last word before the copy takes its place
     * @throws SnapshotException when the source is no snapshot, or damaged
     */
    public static void copy(Path source, Path target, Admission admission, Pause pause)
            throws IOException {
        try (UnfinishedFile copy = UnfinishedFile.of(target)) {
            try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ)) {
                long size = in.size();
                long at = 0;
                while (at < size) {
                    pause.check();
                    long count = in.transferTo(at, Math.min(PIECE, size - at), copy.channel());
                    if (count <= 0) {
                        throw new SnapshotException(
                                source, "damaged: it became shorter while it was read");
                    }
                    at += count;
                }
            }
            SnapshotHeader header = verify(copy.path(), source);
            admission.check(header);
            copy.publish();
        }
    }

    /**
     * Compares every checksum of a snapshot.
     *
     * @param name what messages call it
     */
    private static SnapshotHeader verify(Path file, Path name) throws IOException {
        SnapshotHeader header;
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            header = Snapshot.readHeader(name, in);
            FilterSection.verify(in, header.addressFilterBits(), header.addressFilter(), name);
            FilterSection.verify(in, header.domainFilterBits(), header.domainFilter(), name);
        }
        try (BlockStore store = Snapshot.openStore(file)) {
            if (store.checksum() != header.blocksChecksum()) {
                throw new IOException("its exact store has a wrong checksum");
            }
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage()).replace(file + ": ", "");
            throw new SnapshotException(
                    name, "damaged: " + message + ". Build or copy the snapshot again");
        }
        return header;
    }

    /**
     * Deletes what killed processes left in the work directory of this snapshot.
     *
     * @param target the snapshot
     */
    public static void sweep(Path target) throws IOException {
        UnfinishedFile.sweep(target);
        // A file that a living process sorts in may go, too: it is open, and needs no name.
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(target.resolveSibling("."), UnnamedFile.PREFIX + "*")) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
    }
}
