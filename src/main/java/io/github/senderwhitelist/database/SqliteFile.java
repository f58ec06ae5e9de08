package io.github.senderwhitelist.database;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Folders;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
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

    /** Where Linux shows what each descriptor of this process is open on. */
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final Path path;
    private final boolean posix;

    /** Where the log is open in this process, as far as that is known. */
    private volatile @Nullable OpenLog openLog;

    /** Takes a path; nothing is done. */
    SqliteFile(Path path) {
        this.path = path.toAbsolutePath().normalize();
        this.posix = this.path.getFileSystem().supportedFileAttributeViews().contains("unix");
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
        Folders.make(Disk.LOCAL, folder());
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

    /** Rejects a file that is gone, or has several names. */
    void requireUsable() throws IOException {
        if (!Files.exists(path)) {
            throw new IOException(
                    path
                            + ": the file is gone. Put it or a backup back; only a start makes a"
                            + " new one");
        }
        if (posix && ((Integer) Files.getAttribute(path, "unix:nlink")) > 1) {
            throw new IOException(
                    path
                            + ": the file has several names (hard links), under which processes"
                            + " would not see each other's changes; needed: a file of one name");
        }
    }

    /**
     * The identity of a file, its log and the log's index, by which they differ from others of the
     * same names.
     *
     * @param file device and number of the file; null if it is missing, or the system has none
     * @param log device and number of the log, or null
     * @param index device and number of the log's index, by which processes see each other's
     *     changes, or null
     */
    record Identity(@Nullable Object file, @Nullable Object log, @Nullable Object index) {
        /** Returns whether this can be the same file later, with log and index made meanwhile. */
        boolean isStill(Identity later) {
            return isFile(later)
                    && (log == null || log.equals(later.log))
                    && (index == null || index.equals(later.index));
        }

        /** Returns whether this is the same file, whatever is beside it. */
        boolean isFile(Identity other) {
            return Objects.equals(file, other.file);
        }

        /** Returns whether the file was used already. */
        boolean isWhole() {
            return log != null && index != null;
        }
    }

    /** Returns which file is at the path now. */
    Identity identity() throws IOException {
        OpenLog before = openLog;
        if (before != null && before.isInPlace()) {
            return new Identity(identity(path), before.identity, identity(before.index));
        }
        return new Identity(identity(path), logIdentity(), identity(beside("-shm")));
    }

    /**
     * Returns the same while no connection of this object keeps the log in its place: of one
     * moment, as far as that goes, since others may remove the files one after the other.
     */
    Identity identityAtOpening() throws IOException {
        return new Identity(identity(path), identity(beside("-wal")), identity(beside("-shm")));
    }

    /** Has the attributes of the log read once: a descriptor may be closed, and used again. */
    void forgetDescriptors() {
        openLog = null;
    }

    /**
     * A descriptor that the log is open on.
     *
     * @param target what the system shows of it for as long as the log has its name
     * @param identity device and number of the log
     * @param index the path of the log's index
     */
    private record OpenLog(Path descriptor, Path target, Object identity, Path index) {
        boolean isInPlace() {
            return target.equals(shown(descriptor));
        }
    }

    private static @Nullable Path shown(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    /**
     * Returns which file is the log. Its attributes are not read if that is known otherwise: Linux
     * (6.13 and newer) then notes the exact time of the next write, and each commit waits for the
     * disk once more.
     */
    private @Nullable Object logIdentity() throws IOException {
        Path log = beside("-wal");
        OpenLog found = find(log, beside("-shm"));
        openLog = found;
        return found == null ? identity(log) : found.identity;
    }

    /** Returns where a log is open in this process; null if it is nowhere, or nobody says so. */
    private static @Nullable OpenLog find(Path log, Path index) throws IOException {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return null;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            Path real = log.toRealPath();
            for (Path each : all) {
                if (real.equals(shown(each))) {
                    Object identity = identity(log);
                    return identity == null ? null : new OpenLog(each, real, identity, index);
                }
            }
            return null;
        } catch (NoSuchFileException | DirectoryIteratorException e) {
            return null; // Another process has removed it.
        }
    }

    /** Returns the path of a file beside that to which a symbolic link leads. */
    private Path beside(String end) throws IOException {
        boolean isLink = Files.isSymbolicLink(path) && Files.exists(path);
        return Path.of((isLink ? path.toRealPath() : path) + end);
    }

    /** Returns whether this process may write it. */
    boolean isWritable() {
        return Files.isWritable(path);
    }

    /** Returns the length of the log. */
    long logLength() throws IOException {
        try {
            return Files.size(beside("-wal"));
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private static @Nullable Object identity(Path of) throws IOException {
        try {
            Object key = Files.readAttributes(of, BasicFileAttributes.class).fileKey();
            return key == null ? "there" : key;
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
