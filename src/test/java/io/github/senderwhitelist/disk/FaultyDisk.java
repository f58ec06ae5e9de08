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
 * counted from the moment it is armed.
 */
public final class FaultyDisk extends ForwardingDisk {
    static final String ERROR = "Input/output error";
    public static final String FULL = "No space left on device";

    private final List<Call> calls = new ArrayList<>();
    private @Nullable Fault fault;
    private int first;
    private boolean lasting;
    private final EnumSet<Call> struck = EnumSet.noneOf(Call.class);
    private boolean dead;

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
        /** The thread is interrupted, which closes the file it is at. */
        INTERRUPT,
        /** The process dies: no later call does anything. */
        CRASH
    }

    /** Returns whether a call can go wrong in a way. */
    public static boolean allows(Call call, Fault fault) {
        return switch (fault) {
            case ERROR, INTERRUPT, CRASH -> true;
            case FULL ->
                    switch (call) {
                        case CREATE, RENAME, CREATE_FOLDER, WRITE, FORCE -> true;
                        default -> false;
                    };
            case SHORT_READ -> call == Call.READ;
            case SHORT_WRITE -> call == Call.WRITE;
        };
    }

    /** Ends a process that dies. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("the process died", null, false, false);
        }
    }

    public FaultyDisk(Disk disk) {
        super(disk);
    }

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

    /**
     * Counts a call. Returns the fault that the caller must produce, or null when there is none.
     */
    private synchronized @Nullable Fault begin(Call call) {
        int number = calls.size();
        calls.add(call);
        if (dead) {
            throw new Crash();
        }
        boolean strikes = lasting ? number >= first : number == first;
        if (fault == null || !strikes || !allows(call, fault)) {
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

    @Override
    void before(Call call, Path path) throws IOException {
        Fault now = begin(call);
        if (now != null) {
            throw failure(FileFailures.name(path), now);
        }
    }

    private static IOException failure(String name, Fault fault) {
        return new FileSystemException(name, null, fault == Fault.FULL ? FULL : ERROR);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new FaultyFile(super.open(file));
    }

    @Override
    public DiskFile create(Path file, @Nullable Path like) throws IOException {
        return new FaultyFile(super.create(file, like));
    }

    /** A file whose properties cannot be read looks like a missing one. */
    @Override
    public FileState state(Path file) {
        return begin(Call.STATE) == null
                ? disk.state(file)
                : MemoryDisk.missing(FileSystemException.class);
    }

    /** An open file of this disk. */
    private final class FaultyFile extends ForwardingFile {
        private boolean closed;

        FaultyFile(DiskFile file) {
            super(file);
        }

        private @Nullable Fault beginFile(Call call) throws IOException {
            Fault now = FaultyDisk.this.begin(call);
            if (now == Fault.ERROR || now == Fault.FULL) {
                throw failure(toString(), now);
            }
            return now;
        }

        /** Moves only a part of a buffer. */
        private static int shortened(ByteBuffer buffer, Moving move) throws IOException {
            int limit = buffer.limit();
            buffer.limit(buffer.position() + (buffer.remaining() + 1) / 2);
            try {
                return move.move();
            } finally {
                buffer.limit(limit);
            }
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            return beginFile(Call.READ) == null
                    ? file.read(into, position)
                    : shortened(into, () -> file.read(into, position));
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            return beginFile(Call.WRITE) == null
                    ? file.write(from, position)
                    : shortened(from, () -> file.write(from, position));
        }

        @Override
        public long size() throws IOException {
            beginFile(Call.SIZE);
            return file.size();
        }

        @Override
        public void force() throws IOException {
            beginFile(Call.FORCE);
            file.force();
        }

        @Override
        public boolean tryLock() {
            return FaultyDisk.this.begin(Call.LOCK) == null && file.tryLock();
        }

        /** Closes the file even if the fault makes closing fail. */
        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            closed = true;
            try {
                beginFile(Call.CLOSE);
            } finally {
                file.close();
            }
        }
    }

    @FunctionalInterface
    private interface Moving {
        int move() throws IOException;
    }
}
