package io.github.senderwhitelist.disk;

import io.github.senderwhitelist.disk.FileFailures.FileCall;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The local disks, accessed through Java's file systems. */
final class LocalDisk implements Disk {
    private static final Set<String> VIEWS = FileSystems.getDefault().supportedFileAttributeViews();
    private static final FileAttribute<?>[] OWNER_ONLY_FILE = permissions("rw-------");
    private static final FileAttribute<?>[] OWNER_ONLY_FOLDER = permissions("rwx------");

    /** Whether files have the properties of Unix. */
    private static final boolean IS_UNIX = VIEWS.contains("unix");

    /** The properties of a file that change with its content, or say which file it is. */
    private static final String PROPERTIES =
            IS_UNIX
                    ? "unix:size,isRegularFile,isDirectory,lastModifiedTime,fileKey,ctime,dev,mode"
                    : "size,isRegularFile,isDirectory,lastModifiedTime,fileKey,creationTime";

    private static FileAttribute<?>[] permissions(String permissions) {
        return VIEWS.contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static <T extends @Nullable Object> T naming(Path file, FileCall<T> call)
            throws IOException {
        return FileFailures.naming(FileFailures.name(file), call);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Opening a pipe would wait for a writer, and a device may have no end.
     */
    @Override
    public DiskFile open(Path file) throws IOException {
        while (true) {
            FileState before = state(file);
            if (before.type() == FileState.Type.FOLDER) {
                throw new IOException(file + ": a folder; allowed: a file");
            }
            if (before.type() == FileState.Type.OTHER) {
                throw new IOException(
                        file
                                + ": a pipe or a device; allowed: a regular file, or - for standard"
                                + " input where a command takes it");
            }
            FileChannel channel =
                    naming(file, () -> FileChannel.open(file, StandardOpenOption.READ));
            if (state(file).isSameFileAs(before)) {
                return new LocalFile(file, FileFailures.name(file), channel, before);
            }
            // It was replaced just now.
            channel.close();
        }
    }

    @Override
    public DiskFile create(Path file, @Nullable Path like) throws IOException {
        String name = FileFailures.name(like == null ? file : like);
        try {
            return new LocalFile(file, name, createChannel(file, like), null);
        } catch (NoSuchFileException e) {
            // The file itself is not expected to exist. Its folder is.
            Path folder = file.toAbsolutePath().normalize().getParent();
            throw folder == null || Files.isDirectory(folder)
                    ? FileFailures.of(name, e)
                    : new NoSuchFileException(folder.toString(), null, "no such folder");
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }

    private static FileChannel createChannel(Path file, @Nullable Path like) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        Set.of(
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE),
                        OWNER_ONLY_FILE);
        try {
            if (like != null
                    && OWNER_ONLY_FILE.length > 0
                    && Files.exists(like)
                    && !mayBeSwapped(file)) {
                copyOwnership(Files.readAttributes(like, PosixFileAttributes.class), file);
            }
            return channel;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /**
     * Returns whether this is root in a folder in which others may put another file in the place of
     * a new one, so that root gives that one away.
     */
    private static boolean mayBeSwapped(Path file) throws IOException {
        String root = "root";
        PosixFileAttributes folder =
                Files.readAttributes(file.resolveSibling(""), PosixFileAttributes.class);
        return System.getProperty("user.name").equals(root)
                && (!folder.owner().getName().equals(root)
                        || folder.permissions().contains(PosixFilePermission.GROUP_WRITE)
                        || folder.permissions().contains(PosixFilePermission.OTHERS_WRITE));
    }

    /**
     * Gives a file the owner, group and permissions of another one. Usually only root may give
     * files away. If the group cannot be kept, the file has no permissions for a group, since they
     * were meant for another one.
     *
     * <p>A link that was put in the place of the file is not followed. Only an open folder ensures
     * this: {@code Files} follows links when it sets permissions, whatever it is told.
     */
    static void copyOwnership(PosixFileAttributes like, Path file) throws IOException {
        try (DirectoryStream<Path> folder = Files.newDirectoryStream(file.resolveSibling(""))) {
            if (folder instanceof SecureDirectoryStream<Path> open) {
                copyOwnership(
                        like,
                        open.getFileAttributeView(
                                file.getFileName(),
                                PosixFileAttributeView.class,
                                LinkOption.NOFOLLOW_LINKS));
            }
        }
    }

    private static void copyOwnership(PosixFileAttributes like, PosixFileAttributeView own)
            throws IOException {
        Set<PosixFilePermission> wanted = EnumSet.noneOf(PosixFilePermission.class);
        wanted.addAll(like.permissions());
        if (!own.readAttributes().group().equals(like.group())) {
            try {
                own.setGroup(like.group());
            } catch (IOException e) {
                wanted.removeAll(PosixFilePermissions.fromString("---rwx---"));
            }
        }
        own.setPermissions(wanted);
        try {
            own.setOwner(like.owner());
        } catch (IOException e) {
            // It keeps its owner.
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        naming(
                to,
                () ->
                        Files.move(
                                from,
                                to,
                                StandardCopyOption.ATOMIC_MOVE,
                                StandardCopyOption.REPLACE_EXISTING));
    }

    @Override
    public void delete(Path file) throws IOException {
        naming(file, () -> Files.deleteIfExists(file));
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        naming(folder, () -> Files.createDirectories(folder, OWNER_ONLY_FOLDER));
    }

    @Override
    public void force(Path folder) throws IOException {
        try (FileChannel open = FileChannel.open(folder, StandardOpenOption.READ)) {
            open.force(true);
        } catch (IOException e) {
            throw FileFailures.of(folder.toString(), e);
        }
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (UncheckedIOException e) {
            throw FileFailures.of(folder.toString(), Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw FileFailures.of(folder.toString(), e);
        }
    }

    @Override
    public FileState state(Path file) {
        return stateOf(file);
    }

    static FileState stateOf(Path file) {
        Map<String, Object> found;
        try {
            found = Files.readAttributes(file, PROPERTIES);
        } catch (IOException e) {
            return new FileState(
                    FileState.Type.MISSING, 0, Instant.EPOCH, "", "", e.getClass().getName());
        }
        FileState.Type type =
                value(found, "isRegularFile", Boolean.class)
                        ? FileState.Type.REGULAR
                        : value(found, "isDirectory", Boolean.class)
                                ? FileState.Type.FOLDER
                                : FileState.Type.OTHER;
        return new FileState(
                type,
                value(found, "size", Long.class),
                value(found, IS_UNIX ? "ctime" : "lastModifiedTime", FileTime.class).toInstant(),
                IS_UNIX ? value(found, "dev", Long.class) : String.valueOf(file.getRoot()),
                value(found, IS_UNIX ? "fileKey" : "creationTime", Object.class),
                found);
    }

    private static <T> T value(Map<String, Object> attributes, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(attributes.get(name), name));
    }

    @Override
    public long freeBytes(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw FileFailures.of(
                    folder.toString(),
                    Files.exists(folder)
                            ? new NotDirectoryException(folder.toString())
                            : new NoSuchFileException(folder.toString()));
        }
        // Some systems do not report it. A FileStore would look for a mount point, too.
        boolean isKnown = folder.toFile().getTotalSpace() > 0;
        return isKnown ? folder.toFile().getUsableSpace() : Long.MAX_VALUE;
    }
}
