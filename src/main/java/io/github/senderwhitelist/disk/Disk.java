package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * All access to files. It may be used by any number of threads. A call that fails throws an {@link
 * IOException} whose message names the file and the reason, usually a {@link
 * java.nio.file.FileSystemException}.
 */
public interface Disk {
    /** The local disks. */
    Disk LOCAL = new LocalDisk();

    /** The prefix of the names of temporary files. */
    String TEMPORARY_PREFIX = ".swl-temporary-";

    /**
     * Opens a regular file for reading.
     *
     * @throws IOException if the file is missing or may not be read; or if it is a folder, a pipe
     *     or a device, since reading these may never end
     */
    DiskFile open(Path file) throws IOException;

    /**
     * Opens a regular file for reading by many threads at once. All reads are from the file that
     * had the name at the time of this call. A thread that is interrupted while reading does not
     * disturb others.
     */
    DiskFile openShared(Path file) throws IOException;

    /**
     * Creates a file for reading and writing.
     *
     * @param file the file to create; it must not exist
     * @param like a file whose permissions the new file gets; if it does not exist, only the owner
     *     may read and write the new file. With null, the new file gets the usual permissions
     */
    DiskFile create(Path file, @Nullable Path like) throws IOException;

    /**
     * Creates a file for reading and writing that is deleted when it is closed or the process ends,
     * however that happens. On Unix, it loses its name as soon as it is open. Elsewhere, a crash
     * may leave it behind.
     */
    DiskFile createTemporary(Path folder) throws IOException;

    /**
     * Gives a file another name, and replaces the file that has that name, if any. This happens at
     * once or not at all.
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Gives a file another name unless a file has that name already. Of several processes that do
     * this at once, one succeeds. Where files cannot have two names, several may succeed, one after
     * the other.
     *
     * @return false when the name is taken; then nothing has changed
     */
    boolean renameIfAbsent(Path from, Path to) throws IOException;

    /** Deletes a file or an empty folder. Does nothing when it does not exist. */
    void delete(Path file) throws IOException;

    /**
     * Deletes a file unless a process has locked it. If it is this process, other processes may not
     * see its lock any more.
     */
    void deleteIfIdle(Path file) throws IOException;

    /**
     * Creates a folder and its missing parents. Does nothing when it exists.
     *
     * @param ownerOnly whether only the owner may access the new folders
     */
    void createFolder(Path folder, boolean ownerOnly) throws IOException;

    /** Forces the names in a folder to the disk, so that a rename survives a power cut. */
    void force(Path folder) throws IOException;

    /** Returns everything in a folder. */
    List<Path> list(Path folder) throws IOException;

    /** Returns the current state of a file. A file that does not exist has a state, too. */
    FileState state(Path file);

    /** Sets the modification time of a file to now. */
    void touch(Path file) throws IOException;

    /** Returns how many bytes can still be written to the disk that the folder is on. */
    long freeBytes(Path folder) throws IOException;

    /** Returns whether two folders are on one disk and so share its free space. */
    boolean isOnOneDisk(Path folder, Path other) throws IOException;
}
