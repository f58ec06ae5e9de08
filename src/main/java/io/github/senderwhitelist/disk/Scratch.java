package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** The place for temporary files, which knows how much room they take. */
public final class Scratch {
    private final Disk disk;
    private final Path folder;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong mostBytes = new AtomicLong();

    /**
     * Names the place.
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

    /** Returns the same place, which counts the bytes of its own files only. */
    public Scratch another() {
        return new Scratch(disk, folder);
    }

    /** Returns the most bytes that the files took at any time, all together. */
    public long mostBytes() {
        return mostBytes.get();
    }

    /** Creates a file that is deleted when it is closed; see {@link Disk#createTemporary}. */
    public DiskFile create() throws IOException {
        String name = "a temporary file in " + folder;
        try {
            return new NamedFile(new CountedFile(disk.createTemporary(folder)), name);
        } catch (IOException e) {
            throw FileFailures.ofCreating(name, folder, e);
        }
    }

    /** Counts bytes more, or fewer. */
    private void count(long more) {
        mostBytes.accumulateAndGet(bytes.addAndGet(more), Math::max);
    }

    /** A file whose length is counted as long as it is open. */
    private final class CountedFile implements DiskFile {
        private final DiskFile file;

        /** The length; −1 once the file is closed. */
        private final AtomicLong length = new AtomicLong();

        CountedFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            return file.read(into, position);
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            int written = file.write(from, position);
            long end = position + written;
            long before = length.getAndUpdate(now -> now < 0 ? now : Math.max(now, end));
            if (before >= 0 && before < end) {
                count(end - before);
            }
            return written;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void force() throws IOException {
            file.force();
        }

        @Override
        public boolean tryLock() {
            return file.tryLock();
        }

        @Override
        public void close() throws IOException {
            long before = length.getAndSet(-1);
            if (before > 0) {
                count(-before);
            }
            file.close();
        }
    }
}
