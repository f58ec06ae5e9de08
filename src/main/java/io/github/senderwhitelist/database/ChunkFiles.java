package io.github.senderwhitelist.database;

import io.github.senderwhitelist.disk.Disk;

import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;

/**
 * The files of H2 in such a form that they outlive a power cut. H2 writes changes in chunks, and
 * believes every chunk of which it finds the beginning and the end. A disk that loses its power may
 * have kept these, but not what is between them. So here the end of a chunk is written only when
 * the disk has the rest. Nor does H2 always find the newest chunk, see {@link StoreHeader}.
 */
public final class ChunkFiles extends FilePathWrapper {
    private static final String SCHEME = "whitelist";

    /** With these files of H2, a thread that is interrupted does not close the file for all. */
    private static final String BASE = "async:";

    /** The unit in which H2 writes. The last one of a chunk tells that the chunk is whole. */
    static final int BLOCK = 4096;

    /** Makes a path without a name, as H2 demands. */
    public ChunkFiles() {}

    /** Returns what comes before a path so that H2 uses these files. */
    static String prefix() {
        FilePath.register(new ChunkFiles());
        return SCHEME + ':' + BASE;
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
            Path path = Path.of(file.toString().substring(BASE.length()));
            Disk.LOCAL.create(path, path).close();
        }
        return new ChunkFile(file.open(mode));
    }

    /** A file. As many threads may use it at once as may use the one below it. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    private static final class ChunkFile extends FileBaseDefault {
        private final FileChannel base;

        /** The header, until the first chunk is written to a file that was closed. */
        private volatile @Nullable StoreHeader closed;

        ChunkFile(FileChannel base) {
            this.base = base;
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            StoreHeader header = closed;
            if (header != null && position >= StoreHeader.LENGTH) {
                header.markOpen();
                closed = null;
            }
            int size = from.remaining();
            if (size <= BLOCK || position < StoreHeader.LENGTH) {
                return base.write(from, position);
            }
            ByteBuffer rest = from.duplicate().limit(from.limit() - BLOCK);
            int written = base.write(rest, position);
            from.position(from.position() + written);
            if (written < size - BLOCK) {
                return written;
            }
            base.force(false);
            return written + base.write(from, position + written);
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
            base.truncate(size);
        }

        @Override
        public void force(boolean metaData) throws IOException {
            base.force(metaData);
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
    }
}
