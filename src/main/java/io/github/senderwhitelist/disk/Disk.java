package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * All access to files. It may be used by any number of threads. A call that fails throws an {@link
 * IOException} whose message names the file once and then the reason, usually a {@link
 * java.nio.file.FileSystemException}.
 */
public interface Disk {
    /** The local disks. */
    Disk LOCAL = new LocalDisk();

    /** The prefix of the names of temporary files. */
    String TEMPORARY_PREFIX = ".swl-temporary-";

    /**
     * Opens a regular file for reading by any number of threads. All reads are from the file that
     * had the name at the time of this call. A thread that is interrupted while it reads goes on.
     *
     * @throws IOException if the file is missing or may not be read; or if it is a folder, a pipe
     *     or a device, since reading these may never end
     */
    DiskFile open(Path file) throws IOException;

    /**
     * Creates a file for reading and writing. An interrupted thread closes it.
     *
     * @param file the file to create; it must not exist
     * @param like the file that it is to replace: the new file gets its permissions, and failures
     *     get its name. If there is none, only the owner may read and write the new file
     */
    DiskFile create(Path file, @Nullable Path like) throws IOException;

    /**
     * Gives a file another name, and replaces the file that has that name, if any. This happens at
     * once or not at all. A failure gets the new name.
     */
    void rename(Path from, Path to) throws IOException;

    /** Deletes a file. Does nothing when it does not exist. */
    void delete(Path file) throws IOException;

    /** Creates a folder that only the owner may access. Does nothing when it exists. */
    void createFolder(Path folder) throws IOException;

    /**
     * Creates a folder and its missing parents so that they survive a power cut. Does nothing when
     * it exists. Only the owner may access new folders.
     */
    static void createFolders(Disk disk, Path folder) throws IOException {
        FileState.Type type = disk.state(folder).type();
        if (type == FileState.Type.REGULAR || type == FileState.Type.OTHER) {
            throw new IOException(folder + ": not a folder");
        }
        Path above = folder.toAbsolutePath().getParent();
        if (type == FileState.Type.MISSING && above != null) {
            createFolders(disk, above);
            disk.createFolder(folder);
            forceIfPossible(disk, above);
        }
    }

    /** Forces the names in a folder to the disk, so that a rename survives a power cut. */
    void force(Path folder) throws IOException;

    /**
     * Forces the names in a folder to the disk where the system can do that. Elsewhere, a power cut
     * within seconds may bring the old names back.
     */
    static void forceIfPossible(Disk disk, Path folder) {
        try {
            disk.force(folder);
        } catch (IOException e) {
            return;
        }
    }

    /** Returns everything in a folder. */
    List<Path> list(Path folder) throws IOException;

    /** Returns the current state of a file. A file that does not exist has a state, too. */
    FileState state(Path file);

    /** Returns how many bytes can still be written to the disk that the folder is on. */
    long freeBytes(Path folder) throws IOException;

    /**
     * Returns the file that a name leads to, if the name itself is a link, or else the name. A link
     * that leads to nothing is returned as it is.
     */
    static Path followLink(Path name) {
        try {
            return Files.isSymbolicLink(name) ? name.toRealPath() : name;
        } catch (IOException e) {
            return name;
        }
    }
}
