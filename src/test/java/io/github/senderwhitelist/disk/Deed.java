package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Something that is done with a disk once, and what must hold whatever goes wrong meanwhile. */
abstract class Deed {
    static final Path TEXT = Path.of("/conf/list.txt");
    static final Path SNAPSHOT = Path.of("/conf/list.swl");

    final MemoryDisk memory;
    final FaultyDisk disk;

    Deed(MemoryDisk memory) {
        this.memory = memory;
        this.disk = new FaultyDisk(memory);
    }

    /** Does what comes before; nothing goes wrong yet. */
    void prepare() throws IOException {}

    /** Returns whether another thread may be the one that is interrupted. */
    boolean hasThreads() {
        return false;
    }

    /** Does it. */
    abstract void run() throws IOException;

    /**
     * Requires that all is well, now that the disk is again.
     *
     * @param failure what it ended with
     * @param harmless whether what happened may have no consequences at all
     */
    abstract void requireWell(@Nullable IOException failure, boolean harmless) throws IOException;

    /**
     * Requires that the next process finds all well; there is nobody to clear up after this one.
     */
    abstract void requireWellAfter(MemoryDisk left) throws IOException;

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** Requires that this can be said to an administrator: which file, what is wrong, one line. */
    static void requireClear(@Nullable String message, Path... anyOf) {
        if (message == null) {
            throw new AssertionError("no message");
        }
        for (String unclear : List.of("null", "\n", ".tmp", Disk.TEMPORARY_PREFIX, "java.")) {
            require(!message.contains(unclear), "message with '" + unclear + "': " + message);
        }
        for (Path file : anyOf) {
            if (message.contains(file.toString())) {
                return;
            }
        }
        throw new AssertionError("message without a file: " + message);
    }

    final void requireNothingOpen() {
        requireOpen(0);
    }

    /** Requires that so many files are open. */
    final void requireOpen(int files) {
        require(memory.openFiles().size() == files, "open: " + memory.openFiles());
    }
}
