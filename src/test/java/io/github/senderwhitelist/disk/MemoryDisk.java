package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A disk in memory. {@link DiskContract} holds it to what {@link LocalDisk} does; permissions do
 * not count. It keeps a log of all changes, and reports open files.
 *
 * <p>All files were changed long before {@link #LATER}, so nobody waits for them to stand still.
 */
public final class MemoryDisk implements Disk {
    /** A time long after all changes. */
    public static final Instant LATER = Instant.parse("2026-06-01T00:00:00Z");

    private static final Instant FIRST = LATER.minus(Duration.ofDays(1)).plusMillis(1);

    private final SortedMap<Path, Inode> names = new TreeMap<>();
    private final SortedSet<Path> folders = new TreeSet<>(List.of(Path.of("/")));
    private final List<Change> log = new ArrayList<>();
    private final List<MemoryFile> open = new ArrayList<>();
    private long inodes;
    private long changes;

    /** A file, independent of its names. */
    private static final class Inode {
        final long number;
        byte[] bytes;
        int length;
        Instant changed;
        @Nullable MemoryFile lockedBy;

        Inode(long number, byte[] bytes, Instant changed) {
            this.number = number;
            this.bytes = bytes;
            this.length = bytes.length;
            this.changed = changed;
        }
    }

    /** Returns a disk with the same files. None of them is open or locked, and the log is empty. */
    public synchronized MemoryDisk copy() {
        MemoryDisk copy = new MemoryDisk();
        copy.folders.addAll(folders);
        copy.inodes = inodes;
        copy.changes = changes;
        names.forEach(
                (name, inode) -> {
                    byte[] bytes = Arrays.copyOf(inode.bytes, inode.length);
                    copy.names.put(name, new Inode(inode.number, bytes, inode.changed));
                });
        return copy;
    }

    /**
     * Puts a whole file and its folder in place, as another program does. Both are durable at once.
     */
    public synchronized void put(Path name, byte[] bytes) {
        putFolder(parent(name));
        Inode inode = new Inode(inodes++, bytes.clone(), now());
        names.put(name, inode);
        log.add(new Change.Put(name, inode.number, bytes.clone()));
    }

    /** Makes a folder and those above it, durable at once. */
    public synchronized void putFolder(Path name) {
        for (Path folder = name; folders.add(folder); folder = parent(folder)) {
            log.add(new Change.PutFolder(folder));
        }
    }

    /** Overwrites a part of a file, as a failing disk may. */
    public synchronized void overwrite(Path name, int position, byte[] bytes) {
        Inode inode = Objects.requireNonNull(names.get(name));
        System.arraycopy(bytes, 0, inode.bytes, position, bytes.length);
    }

    public synchronized byte[] bytes(Path name) throws IOException {
        Inode inode = existing(name);
        return Arrays.copyOf(inode.bytes, inode.length);
    }

    public synchronized List<Path> names() {
        return List.copyOf(names.keySet());
    }

    public synchronized List<Path> folders() {
        return List.copyOf(folders);
    }

    public synchronized List<Change> log() {
        return List.copyOf(log);
    }

    /** Notes in the log that something is true from here on. */
    public synchronized void mark(String what) {
        log.add(new Change.Mark(what));
    }

    /** Returns the names that open files had when they were opened. */
    public synchronized List<Path> openFiles() {
        return open.stream().map(file -> file.name).toList();
    }

    /** Returns a later time for each change. */
    private Instant now() {
        return FIRST.plusNanos(1_000 * changes++);
    }

    private static Path parent(Path name) {
        return Objects.requireNonNullElse(name.toAbsolutePath().getParent(), Path.of("/"));
    }

    private Inode existing(Path name) throws IOException {
        Inode inode = names.get(name);
        if (inode == null) {
            throw missing(name);
        }
        return inode;
    }

    private static IOException missing(Path named) {
        return LocalDisk.named(named, new NoSuchFileException(""));
    }

    @Override
    public synchronized DiskFile open(Path file) throws IOException {
        if (folders.contains(file)) {
            throw new IOException(file + ": a folder; allowed: a file");
        }
        return new MemoryFile(file, existing(file));
    }

    @Override
    public synchronized DiskFile create(Path file, Path target) throws IOException {
        if (!folders.contains(parent(file))) {
            throw missing(target);
        }
        if (names.containsKey(file) || folders.contains(file)) {
            throw LocalDisk.named(target, new FileAlreadyExistsException(""));
        }
        Inode inode = new Inode(inodes++, new byte[0], now());
        names.put(file, inode);
        log.add(new Change.Made(file, inode.number));
        return new MemoryFile(target, inode);
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        Inode inode = names.get(from);
        if (inode == null || !folders.contains(parent(to))) {
            throw missing(to);
        }
        names.remove(from);
        names.put(to, inode);
        inode.changed = now();
        log.add(new Change.Renamed(from, to, inode.number));
    }

    @Override
    public synchronized void delete(Path file) {
        Inode inode = names.remove(file);
        if (inode != null) {
            log.add(new Change.Deleted(file, inode.number));
        }
    }

    @Override
    public synchronized void createFolder(Path folder) {
        if (folders.add(folder)) {
            log.add(new Change.MadeFolder(folder));
        }
    }

    @Override
    public synchronized void force(Path folder) {
        log.add(new Change.ForcedFolder(folder));
    }

    @Override
    public synchronized List<Path> list(Path folder) {
        return Stream.concat(names.keySet().stream(), folders.stream())
                .filter(name -> parent(name).equals(folder) && !name.equals(folder))
                .toList();
    }

    @Override
    public synchronized FileState state(Path file) {
        Inode inode = names.get(file);
        if (inode != null) {
            return new FileState(
                    FileState.Type.REGULAR,
                    inode.length,
                    inode.changed,
                    inode.number,
                    inode.changed);
        }
        return folders.contains(file)
                ? new FileState(FileState.Type.FOLDER, 0, FIRST, file, "")
                : FileState.missing(new NoSuchFileException(""));
    }

    @Override
    public long freeBytes(Path folder) {
        return 1L << 40;
    }

    private final class MemoryFile extends DiskFile {
        private final Inode inode;
        private boolean isClosed;

        MemoryFile(Path name, Inode inode) {
            super(name);
            this.inode = inode;
            open.add(this);
        }

        private void requireOpen() throws IOException {
            if (isClosed) {
                throw LocalDisk.named(name, new ClosedChannelException());
            }
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            synchronized (MemoryDisk.this) {
                requireOpen();
                if (position >= inode.length) {
                    return -1;
                }
                int count = (int) Math.min(into.remaining(), inode.length - position);
                into.put(inode.bytes, (int) position, count);
                return count;
            }
        }

        @Override
        int write(ByteBuffer from, long position) throws IOException {
            synchronized (MemoryDisk.this) {
                requireOpen();
                if (Thread.currentThread().isInterrupted()) {
                    throw LocalDisk.named(name, new InterruptedIOException("interrupted"));
                }
                byte[] written = new byte[from.remaining()];
                from.get(written);
                int end = Math.toIntExact(position + written.length);
                if (end > inode.bytes.length) {
                    inode.bytes = Arrays.copyOf(inode.bytes, Math.max(end, 2 * inode.length));
                }
                System.arraycopy(written, 0, inode.bytes, (int) position, written.length);
                inode.length = Math.max(inode.length, end);
                inode.changed = now();
                log.add(new Change.Wrote(inode.number, position, written));
                return written.length;
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (MemoryDisk.this) {
                requireOpen();
                return inode.length;
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (MemoryDisk.this) {
                requireOpen();
                log.add(new Change.ForcedFile(inode.number));
            }
        }

        @Override
        public boolean tryLock() {
            synchronized (MemoryDisk.this) {
                boolean isFree = inode.lockedBy == null;
                inode.lockedBy = isFree ? this : inode.lockedBy;
                return isFree;
            }
        }

        @Override
        public void close() {
            synchronized (MemoryDisk.this) {
                isClosed = true;
                open.remove(this);
                inode.lockedBy = inode.lockedBy == this ? null : inode.lockedBy;
            }
        }
    }
}
