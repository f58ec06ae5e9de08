package io.github.senderwhitelist.faults;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.MemoryDisk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** An operation on a disk, and what must be true of it whatever goes wrong meanwhile. */
abstract class Deed {
    static final Path TEXT = Path.of("/conf/list.txt");
    static final Path SNAPSHOT = Path.of("/conf/list.swl");

    final MemoryDisk memory;
    final FaultyDisk disk;

    Deed(MemoryDisk memory) {
        this.memory = memory;
        this.disk = new FaultyDisk(memory);
    }

    /** Prepares the disk. Nothing goes wrong yet. */
    void prepare() throws IOException {}

    /** Runs the operation. */
    abstract void run() throws IOException;

    /**
     * Requires that all is well, now that the disk is again.
     *
     * @param failure what it ended with
     * @param harmless whether what happened may have no consequences at all
     */
    abstract void requireWell(@Nullable IOException failure, boolean harmless) throws IOException;

    /**
     * Requires that the next process finds everything in order. The dead process could not clean
     * up.
     */
    abstract void requireWellAfter(MemoryDisk left) throws IOException;

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /**
     * Requires that a message is fit for an administrator: one line that names one of the files and
     * says what is wrong.
     */
    static void requireClear(@Nullable String message, List<Path> anyOf) {
        String said = message == null ? "null" : message;
        for (String unclear : List.of("null", "\n", ".tmp", Disk.TEMPORARY_PREFIX, "java.")) {
            require(!said.contains(unclear), "message with '" + unclear + "': " + said);
        }
        require(
                anyOf.stream().anyMatch(file -> said.contains(file.toString())),
                "message without a file: " + said);
    }

    /** Requires that this number of files is open. */
    final void requireOpen(int files) {
        require(memory.openFiles().size() == files, "open: " + memory.openFiles());
    }
}
