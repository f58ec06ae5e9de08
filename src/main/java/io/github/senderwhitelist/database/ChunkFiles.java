package io.github.senderwhitelist.database;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Folders;

import org.h2.engine.Constants;
import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The files of H2 in such a form that they outlive a power cut. A disk that loses its power may
 * have kept any part of what was written since it was last told to keep all. H2 writes changes in
 * chunks, and believes every chunk of which it finds the beginning and the end. It writes one chunk
 * on top of another, and headers that name them. So here nothing is written before the disk has
 * what was written earlier, and the end of a chunk only when the disk has the rest. What a power
 * cut leaves is then the same as what a kill leaves. In that, H2 does not always find the newest
 * chunk, see {@link StoreHeader}.
 */
public final class ChunkFiles extends FilePathWrapper {
    private static final String SCHEME = "whitelist";

    /** With these files of H2, a thread that is interrupted does not close the file for all. */
    private static final String BASE = "async:";

    /** The unit in which H2 writes. The last one of a chunk tells that the chunk is whole. */
    static final int BLOCK = 4096;

    /** The ending of a file that is written anew, and not finished. */
    private static final String UNFINISHED = Constants.SUFFIX_MV_STORE_TEMP_FILE;

    /** Makes a path without a name, as H2 demands. */
    public ChunkFiles() {}

    /** Returns what comes before a path so that H2 uses these files. */
    static String prefix() {
        FilePath.register(new ChunkFiles());
        return SCHEME + ':' + BASE;
    }

    /**
     * Returns where a file really is, whatever links lead there.
     *
     * @throws IOException if its folder is missing, or if this process may not write it; H2 would
     *     open it for reading then, perhaps in an old state
     */
    static Path place(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Objects.requireNonNull(file.getParent())
                    .toRealPath()
                    .resolve(file.getFileName());
        }
        if (!Files.isWritable(file)) {
            throw new IOException(
                    file
                            + ": the user '"
                            + System.getProperty("user.name")
                            + "' may not write this file, or the file system is read-only. Give the"
                            + " file to the user that James runs as; nothing was opened");
        }
        return file.toRealPath();
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    /** Opens a file. If it is missing, nobody else can read the addresses in it. */
    @Override
    public FileChannel open(String mode) throws IOException {
        FilePath file = unwrap();
        if (!mode.equals("r") && !file.exists()) {
            Disk.LOCAL.create(path(), path()).close();
            Folders.force(Disk.LOCAL, path().getParent());
        }
        return new ChunkFile(file.open(mode), path().toString());
    }

    private Path path() {
        return Path.of(unwrap().toString().substring(BASE.length()));
    }

    /** Renames a file, and lets the disk keep its name before what is written to it next. */
    @Override
    public void moveTo(FilePath to, boolean replaces) {
        super.moveTo(to, replaces);
        Folders.force(Disk.LOCAL, path().getParent());
    }

    /**
     * Deletes a file. When H2 opens a file it deletes what it takes for the remains of writing it
     * anew, before it knows that no other process has it open. So this spares what another process
     * is writing.
     */
    @Override
    public void delete() {
        if (!toString().endsWith(UNFINISHED) || !isInUse()) {
            super.delete();
        }
    }

    private boolean isInUse() {
        FilePath file = unwrap();
        if (!file.exists()) {
            return false;
        }
        try (FileChannel channel = file.open("rw");
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (IOException | OverlappingFileLockException e) {
            return true;
        }
    }

    /** A file. As many threads may use it at once as may use the one below it. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    private static final class ChunkFile extends FileBaseDefault {
        private final FileChannel base;
        private final String path;

        /** The header, until the first chunk is written to a file that was closed. */
        private volatile @Nullable StoreHeader closed;

        /** Whether there is anything that the disk was not told to keep. */
        private volatile boolean unkept;

        ChunkFile(FileChannel base, String path) {
            this.base = base;
            this.path = path;
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            StoreHeader header = closed;
            if (header != null && position >= StoreHeader.LENGTH) {
                header.markOpen();
                closed = null;
            }
            keep();
            int size = from.remaining();
            if (size <= BLOCK || position < StoreHeader.LENGTH) {
                return writeNext(from, position);
            }
            ByteBuffer rest = from.duplicate().limit(from.limit() - BLOCK);
            int written = writeNext(rest, position);
            from.position(from.position() + written);
            if (written < size - BLOCK) {
                return written;
            }
            keep();
            return written + writeNext(from, position + written);
        }

        /** Lets the disk keep what was written, before something else is. */
        private void keep() throws IOException {
            if (unkept) {
                force(false);
            }
        }

        private int writeNext(ByteBuffer from, long position) throws IOException {
            unkept = true;
            return base.write(from, position);
        }

        @Override
        public long size() throws IOException {
            return base.size();
        }

        @Override
        public int read(ByteBuffer to, long position) throws IOException {
            return base.read(to, position);
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            keep();
            unkept = true;
            base.truncate(size);
        }

        @Override
        public void force(boolean metaData) throws IOException {
            base.force(metaData);
            unkept = false;
        }

        @Override
        public @Nullable FileLock tryLock(long position, long size, boolean shared)
                throws IOException {
            FileLock lock = base.tryLock(position, size, shared);
            if (lock != null && !shared) {
                // H2 reads the file next, and nobody else may write it any more.
                if (StoreHeader.isUnfinished(base)) {
                    // The process that made it was killed before there was anything in it.
                    base.truncate(0);
                }
                StoreHeader header = StoreHeader.read(base);
                if (header != null && header.isClosed()) {
                    closed = header;
                } else if (header != null) {
                    header.nameNewest();
                }
            }
            return lock;
        }

        @Override
        protected void implCloseChannel() throws IOException {
            base.close();
        }

        /** Returns the path, for messages of H2's. */
        @Override
        public String toString() {
            return path;
        }
    }
}
