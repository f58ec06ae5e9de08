package io.github.senderwhitelist.store;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Blocks copied out of a mapping, which takes a fraction of the time of a read.
 *
 * <p>A page that has to come from the disk holds up the whole runtime at its next safepoint, and
 * mapped pages count as the process's memory. So only a store small enough to stay in memory is
 * mapped, only from a disk of this machine, and is read once when it is opened. A page that cannot
 * be had, because somebody made the file shorter, is an InternalError of the copy and ends in an
 * IOException of that lookup.
 */
final class MappedBlocks implements BlockFile {
    /** The largest store that is mapped, in bytes. */
    static final long MOST = 256L << 20;

    /** File systems whose pages never come over a network. */
    private static final Set<String> LOCAL =
            Set.of(
                    "apfs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "ntfs", "overlay", "tmpfs",
                    "ufs", "xfs", "zfs");

    private static final int SPARES = 16;

    /** Blocks to copy into; a thread that finds none makes one. */
    private final AtomicReferenceArray<byte @Nullable []> spares =
            new AtomicReferenceArray<>(SPARES);

    private final Path path;
    private final Mapping mapping;
    private final MappedByteBuffer bytes;

    /** Whether so many blocks of this file are to be mapped. */
    static boolean isFit(Path path, long blocks) throws IOException {
        return Mapping.isPossible()
                && blocks > 0
                && blocks * BlockFormat.SIZE <= MOST
                && LOCAL.contains(Files.getFileStore(path).type().toLowerCase(Locale.ROOT));
    }

    MappedBlocks(Path path, long start, long blocks) throws IOException {
        this.path = path;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            this.mapping = Mapping.of(channel, start, blocks * BlockFormat.SIZE);
        }
        this.bytes = mapping.bytes();
        try {
            bytes.load();
        } catch (InternalError e) {
            mapping.close();
            throw unreadable(0, e);
        }
    }

    @Override
    public <T extends @Nullable Object> T read(long number, BlockReader<T> reader)
            throws IOException {
        int slot = (int) Thread.currentThread().threadId() & (SPARES - 1);
        byte[] spare = spares.getAndSet(slot, null);
        // Worked on is a copy: what was checked must be what is read.
        byte[] block = spare == null ? new byte[BlockFormat.SIZE] : spare;
        try {
            bytes.get((int) (number * BlockFormat.SIZE), block);
            return reader.read(block);
        } catch (InternalError e) {
            throw unreadable(number, e);
        } catch (IllegalStateException e) {
            throw new IOException(path + ": closed", e);
        } finally {
            spares.set(slot, block);
        }
    }

    private IOException unreadable(long number, InternalError cause) {
        return new IOException(
                path
                        + ": block "
                        + number
                        + " of its exact store cannot be read: the file became shorter, or its disk"
                        + " fails",
                cause);
    }

    @Override
    public void close() {
        mapping.close();
    }
}
