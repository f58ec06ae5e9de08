package io.github.senderwhitelist.database;

import io.github.senderwhitelist.disk.Disk;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * The file of a SQLite database. While it is open in this process, nothing here opens it or the
 * files beside it: closing any descriptor of them would drop SQLite's locks.
 */
final class SqliteFile {
    /** File systems over a network, on which the processes of several machines share no memory. */
    private static final Set<String> REMOTE =
            Set.of(
                    "nfs",
                    "nfs4",
                    "cifs",
                    "smb",
                    "smb2",
                    "smb3",
                    "smbfs",
                    "afs",
                    "ceph",
                    "9p",
                    "glusterfs",
                    "fuse.glusterfs",
                    "fuse.sshfs",
                    "lustre",
                    "ncpfs",
                    "webdav");

    private final Path path;

    /** Takes a path; nothing is done. */
    SqliteFile(Path path) {
        this.path = path.toAbsolutePath().normalize();
    }

    Path path() {
        return path;
    }

    Path folder() {
        return Objects.requireNonNull(path.getParent());
    }

    /**
     * Makes the folders that the file is in, if they are missing.
     *
     * @throws IOException if they cannot be made, or SQLite cannot keep a file safe there
     */
    void makeFolder() throws IOException {
        if (path.toString().indexOf('?') >= 0) {
            throw new IOException(path + ": a path with a question mark, which SQLite cannot open");
        }
        Disk.createFolders(Disk.LOCAL, folder());
        String type =
                Files.getFileStore(Files.exists(path) ? path : folder())
                        .type()
                        .toLowerCase(Locale.ROOT);
        if (REMOTE.contains(type)) {
            throw new IOException(
                    path
                            + ": on a network file system ("
                            + type
                            + "), where SQLite can lose changes; needed: a local disk, or"
                            + " PostgreSQL");
        }
    }

    /** Makes the file, for its owner alone, if it is missing. */
    void make() throws IOException {
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        try {
            FileAttribute<?>[] attributes =
                    posix
                            ? new FileAttribute<?>[] {
                                PosixFilePermissions.asFileAttribute(
                                        PosixFilePermissions.fromString("rw-------"))
                            }
                            : new FileAttribute<?>[0];
            Files.createFile(path, attributes);
        } catch (FileAlreadyExistsException e) {
            // It is checked before it is opened.
        }
    }

    /**
     * Returns which file is at the path now: device and number, where the system has them.
     *
     * @throws IOException if there is none
     */
    Object identity() throws IOException {
        try {
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            return key == null ? "there" : key;
        } catch (NoSuchFileException e) {
            throw new IOException(
                    path + ": the file is gone. Restore it; only a start makes a new one", e);
        }
    }
}
