package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A disk on which one call, or every call from one on, goes wrong in a given way. The calls are
 * counted from the moment it is armed. A subclass may do something else before a call.
 */
public class FaultyDisk implements Disk {
    static final String ERROR = "Input/output error";
    public static final String FULL = "No space left on device";

    private final Disk disk;
    private final List<Call> calls = new ArrayList<>();
    private @Nullable Fault fault;
    private int first;
    private boolean lasting;
    private final EnumSet<Call> struck = EnumSet.noneOf(Call.class);
    private boolean dead;
    private long bytesRead;

    /** The calls of {@link Disk} and {@link DiskFile}. */
    public enum Call {
        OPEN,
        CREATE,
        RENAME,
        DELETE,
        CREATE_FOLDER,
        FORCE_FOLDER,
        LIST,
        STATE,
        FREE_BYTES,
        READ,
        WRITE,
        SIZE,
        FORCE,
        LOCK,
        CLOSE
    }

    /** What may go wrong. */
    public enum Fault {
        /** The disk reports an error. */
        ERROR,
        /** The disk is full. */
        FULL,
        /** Fewer bytes are read than asked for, as a system may always do. */
        SHORT_READ,
        /** Fewer bytes are written than given, as a system may always do. */
        SHORT_WRITE,
        /** The thread is interrupted. */
        INTERRUPT,
        /** The process dies: no later call does anything. */
        CRASH;

        /** Returns whether it may have no consequences at all. */
        public boolean isHarmless() {
            return this == SHORT_READ || this == SHORT_WRITE;
        }

        /** Returns whether a call can go wrong in this way. */
        public boolean strikes(Call call) {
            return switch (this) {
                case ERROR, INTERRUPT, CRASH -> true;
                case FULL ->
                        EnumSet.of(
                                        Call.CREATE,
                                        Call.RENAME,
                                        Call.CREATE_FOLDER,
                                        Call.WRITE,
                                        Call.FORCE)
                                .contains(call);
                case SHORT_READ -> call == Call.READ;
                case SHORT_WRITE -> call == Call.WRITE;
            };
        }
    }

    /** Ends a process that dies. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("the process died", null, false, false);
        }
    }

    public FaultyDisk(Disk disk) {
        this.disk = disk;
    }

    /** Called before each call that is given a path. */
    protected void before(Call call, Path path) throws IOException {}

    /**
     * Begins to count calls.
     *
     * @param first the call that goes wrong, from 0
     * @param lasting whether all later ones do, too
     */
    public synchronized void arm(@Nullable Fault fault, int first, boolean lasting) {
        this.fault = fault;
        this.first = first;
        this.lasting = lasting;
        calls.clear();
    }

    /** Ends the faults. A process that died stays dead. */
    public synchronized void disarm() {
        fault = null;
    }

    /** Returns the calls since it was armed. */
    public synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    /** Returns the calls that went wrong. */
    public synchronized Set<Call> struckCalls() {
        return EnumSet.copyOf(struck);
    }

    public synchronized long bytesRead() {
        return bytesRead;
    }

    /** Counts a call. Returns the fault that the caller must produce, or null if there is none. */
    private synchronized @Nullable Fault count(Call call) {
        int number = calls.size();
        calls.add(call);
        if (dead) {
            throw new Crash();
        }
        boolean strikes = lasting ? number >= first : number == first;
        if (fault == null || !strikes || !fault.strikes(call)) {
            return null;
        }
        struck.add(call);
        if (fault == Fault.CRASH) {
            dead = true;
            throw new Crash();
        }
        if (fault == Fault.INTERRUPT) {
            Thread.currentThread().interrupt();
            return null;
        }
        return fault;
    }

    /** Counts a call that fails if it goes wrong. Returns whether it is to do half of its work. */
    private boolean begin(Call call, Path named) throws IOException {
        Fault now = count(call);
        if (now == Fault.ERROR || now == Fault.FULL) {
            throw new FileSystemException(named.toString(), null, now == Fault.FULL ? FULL : ERROR);
        }
        return now != null;
    }

    private void begin(Call call, Path path, Path named) throws IOException {
        before(call, path);
        begin(call, named);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        begin(Call.OPEN, file, file);
        return new FaultyFile(file, disk.open(file));
    }

    @Override
    public DiskFile create(Path file, Path target) throws IOException {
        begin(Call.CREATE, file, target);
        return new FaultyFile(target, disk.create(file, target));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        begin(Call.RENAME, from, to);
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        begin(Call.DELETE, file, file);
        disk.delete(file);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        begin(Call.CREATE_FOLDER, folder, folder);
        disk.createFolder(folder);
    }

    @Override
    public void force(Path folder) {
        try {
            begin(Call.FORCE_FOLDER, folder, folder);
            disk.force(folder);
        } catch (IOException e) {
            return;
        }
    }

    @Override
    public List<Path> list(Path folder) {
        return count(Call.LIST) == null ? disk.list(folder) : List.of();
    }

    @Override
    public FileState state(Path file) {
        return count(Call.STATE) == null
                ? disk.state(file)
                : FileState.missing(new FileSystemException(file.toString()));
    }

    @Override
    public long freeBytes(Path folder) {
        return count(Call.FREE_BYTES) == null ? disk.freeBytes(folder) : Long.MAX_VALUE;
    }

    private final class FaultyFile extends DiskFile {
        private final DiskFile file;
        private boolean isClosed;

        FaultyFile(Path name, DiskFile file) {
            super(name);
            this.file = file;
        }

        /** Hides the second half of a buffer. */
        private static ByteBuffer half(ByteBuffer buffer) {
            return buffer.limit(buffer.position() + (buffer.remaining() + 1) / 2);
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            int limit = into.limit();
            boolean isShort = begin(Call.READ, name);
            int count = file.read(isShort ? half(into) : into, position);
            into.limit(limit);
            synchronized (FaultyDisk.this) {
                bytesRead += Math.max(0, count);
            }
            return count;
        }

        @Override
        int write(ByteBuffer from, long position) throws IOException {
            int limit = from.limit();
            boolean isShort = begin(Call.WRITE, name);
            int count = file.write(isShort ? half(from) : from, position);
            from.limit(limit);
            return count;
        }

        @Override
        public long size() throws IOException {
            begin(Call.SIZE, name);
            return file.size();
        }

        @Override
        public void force() throws IOException {
            begin(Call.FORCE, name);
            file.force();
        }

        @Override
        public boolean tryLock() {
            return count(Call.LOCK) == null && file.tryLock();
        }

        /** Closes the file even if the fault makes closing fail. */
        @Override
        public void close() throws IOException {
            if (!isClosed) {
                isClosed = true;
                try {
                    begin(Call.CLOSE, name);
                } finally {
                    file.close();
                }
            }
        }
    }
}
