package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;

/** A folder for temporary files, which counts the bytes that they take. */
public final class Scratch {
    private final Disk disk;
    private final Path folder;
    private long bytes;
    private long maxBytes;

    /**
     * Creates the scratch for a folder, which must exist.
     *
     * @param disk the disk that the folder is on
     * @param folder the folder for the files
     */
    public Scratch(Disk disk, Path folder) {
        this.disk = disk;
        this.folder = folder;
    }

    /** Returns the disk that the folder is on. */
    public Disk disk() {
        return disk;
    }

    /** Returns a scratch for the same folder that counts the bytes of its own files only. */
    public Scratch another() {
        return new Scratch(disk, folder);
    }

    /** Returns the most bytes that the files took at any time, all together. */
    public synchronized long mostBytes() {
        return maxBytes;
    }

    /**
     * Creates a file that is deleted when it is closed or the process ends, however that happens:
     * it loses its name as soon as it is open. Only a crash in between leaves its name behind.
     */
    public DiskFile create() throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        Path path = folder.resolve(Disk.TEMPORARY_PREFIX + random);
        DiskFile file = disk.create(path, null);
        try {
            disk.delete(path);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
        return new CountedFile(file);
    }

    /** A file whose length is counted as long as it is open. */
    private final class CountedFile extends ForwardingFile {
        private long length;

        CountedFile(DiskFile file) {
            super(file);
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            int written = super.write(from, position);
            synchronized (Scratch.this) {
                count(Math.max(length, position + written));
            }
            return written;
        }

        @Override
        public void close() throws IOException {
            super.close();
            synchronized (Scratch.this) {
                count(0);
            }
        }

        /** Counts the file with another length. */
        private void count(long now) {
            bytes += now - length;
            length = now;
            maxBytes = Math.max(maxBytes, bytes);
        }
    }
}
