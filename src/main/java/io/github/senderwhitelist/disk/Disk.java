package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * All that this program does with files. Any number of threads may use it. A call that fails throws
 * a {@link java.nio.file.FileSystemException} that says which file it is about, and why.
 */
public interface Disk {
    /** The disks of this machine. */
    Disk LOCAL = new LocalDisk();

    /** What the names of temporary files begin with as long as they have one. */
    String TEMPORARY_PREFIX = ".swl-temporary-";

    /**
     * Opens a regular file for reading.
     *
     * @throws IOException when it is missing, may not be read, or is a folder, a pipe or a device,
     *     which could block the reader for ever
     */
    DiskFile open(Path file) throws IOException;

    /**
     * Opens a regular file for reading by many threads at once. It stays the file that had the name
     * when it was opened, and a thread that is interrupted while it reads disturbs nobody.
     */
    DiskFile openShared(Path file) throws IOException;

    /**
     * Creates a file for writing and reading.
     *
     * @param file must not exist
     * @param like a file whose permissions the new one gets; when it does not exist, only the owner
     *     may read and write the new one. Null: the new one gets the usual permissions
     */
    DiskFile create(Path file, @Nullable Path like) throws IOException;

    /**
     * Creates a file for writing and reading that is gone when it is closed, however the process
     * ends: where the system can do it (Unix), it loses its name as soon as it is open.
     */
    DiskFile createTemporary(Path folder) throws IOException;

    /** Gives a file another name, in place of whatever has that name, at once or not at all. */
    void rename(Path from, Path to) throws IOException;

    /** Deletes a file or an empty folder, if there is one. */
    void delete(Path file) throws IOException;

    /** Deletes a file unless a process has it locked. */
    void deleteIfIdle(Path file) throws IOException;

    /**
     * Makes a folder, and those above it, unless they exist.
     *
     * @param ownerOnly whether only the owner may look into a new one
     */
    void createFolder(Path folder, boolean ownerOnly) throws IOException;

    /** Forces the names in a folder to the disk, so that a rename outlives a power cut. */
    void force(Path folder) throws IOException;

    /** Returns the files in a folder. */
    List<Path> list(Path folder) throws IOException;

    /** Returns the state of a file now; a file that does not exist has one, too. */
    FileState state(Path file);

    /** Sets the time of a file's last change to now. */
    void touch(Path file) throws IOException;

    /** Returns how many bytes can still be written in that folder. */
    long freeBytes(Path folder) throws IOException;

    /** Returns whether two folders share their free space. */
    boolean isOnOneDisk(Path folder, Path other) throws IOException;
}
