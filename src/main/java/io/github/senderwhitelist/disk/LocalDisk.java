package io.github.senderwhitelist.disk;

import static io.github.senderwhitelist.disk.FileFailures.naming;

import org.jspecify.annotations.Nullable;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The local disks, accessed through Java's file systems. */
final class LocalDisk implements Disk {
    private static final FileAttribute<?>[] OWNER_ONLY_FILE = permissions("rw-------");
    private static final FileAttribute<?>[] OWNER_ONLY_FOLDER = permissions("rwx------");

    /** The bits of a Unix mode that hold the type of the file. */
    private static final int TYPE_BITS = 0170000;

    private static final int REGULAR_BITS = 0100000;
    private static final int FOLDER_BITS = 0040000;

    private static final Set<OpenOption> NEW_FILE =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);

    /**
     * The number of replacements after which opening gives up. A name that belongs to another file
     * at every look is an attack.
     */
    private static final int MAX_SWAPS = 100;

    private static FileAttribute<?>[] permissions(String permissions) {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        for (int i = 0; i < MAX_SWAPS; i++) {
            FileState before = state(file);
            requireRegular(file, before);
            DiskFile opened = naming(file, () -> open(file, before));
            if (opened != null) {
                return opened;
            }
        }
        throw new IOException(file + ": replaced again and again while it was opened");
    }

    /** Opens both handles of a file. Returns null when it is replaced meanwhile. */
    private @Nullable DiskFile open(Path file, FileState before) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            RandomAccessFile reserve = new RandomAccessFile(file.toFile(), "r");
            if (state(file).isSameFileAs(before)) {
                return new LocalFile(FileFailures.name(file), channel, reserve);
            }
            reserve.close();
        } catch (FileNotFoundException e) {
            if (state(file).isSameFileAs(before)) {
                channel.close();
                throw new IOException(String.valueOf(e.getMessage()).replace(file + " ", ""), e);
            }
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    /**
     * Refuses folders, pipes and devices. Opening a pipe would wait for a writer, and a device may
     * have no end.
     */
    private static void requireRegular(Path file, FileState state) throws IOException {
        if (state.type() == FileState.Type.FOLDER) {
            throw new IOException(file + ": a folder; allowed: a file");
        }
        if (state.type() == FileState.Type.OTHER) {
            throw new IOException(
                    file
                            + ": a pipe or a device; allowed: a regular file, or - for standard"
                            + " input where a command takes it");
        }
    }

    @Override
    public DiskFile create(Path file, @Nullable Path like) throws IOException {
        String name = FileFailures.name(like == null ? file : like);
        try {
            return new LocalFile(name, createChannel(file, like), null);
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
        FileChannel channel = FileChannel.open(file, NEW_FILE, OWNER_ONLY_FILE);
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
     * Returns whether this is root in a folder of another user, who could put another file in the
     * place of a new one, so that root gives that one away.
     */
    private static boolean mayBeSwapped(Path file) throws IOException {
        String root = "root";
        return System.getProperty("user.name").equals(root)
                && !Files.getOwner(file.resolveSibling("")).getName().equals(root);
    }

    /**
     * Gives a file the owner, group and permissions of another one. Usually only root may give
     * files away. If the group cannot be kept, the file has no permissions for a group, since they
     * were meant for another one.
     */
    static void copyOwnership(PosixFileAttributes like, Path file) throws IOException {
        try (DirectoryStream<Path> folder = Files.newDirectoryStream(file.resolveSibling(""))) {
            // Where it can, Java opens the file for this, and no link. Java 25 follows links else.
            copyOwnership(
                    like,
                    folder instanceof SecureDirectoryStream<Path> secure
                            ? secure.getFileAttributeView(
                                    file.getFileName(),
                                    PosixFileAttributeView.class,
                                    LinkOption.NOFOLLOW_LINKS)
                            : Files.getFileAttributeView(
                                    file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
        }
    }

    private static void copyOwnership(PosixFileAttributes like, PosixFileAttributeView view)
            throws IOException {
        PosixFileAttributes own = view.readAttributes();
        Set<PosixFilePermission> wanted = EnumSet.noneOf(PosixFilePermission.class);
        wanted.addAll(like.permissions());
        try {
            view.setGroup(like.group());
        } catch (IOException e) {
            if (!own.group().equals(like.group())) {
                wanted.removeAll(PosixFilePermissions.fromString("---rwx---"));
            }
        }
        view.setPermissions(wanted);
        try {
            view.setOwner(like.owner());
        } catch (IOException e) {
            // It stays its own, as files of any user but root do.
            return;
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
    public boolean renameIfAbsent(Path from, Path to) throws IOException {
        return naming(to, () -> moveIfAbsent(from, to));
    }

    private static boolean moveIfAbsent(Path from, Path to) throws IOException {
        try {
            // Unlike a rename, a link never takes the place of another file.
            Files.createLink(to, from);
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (UnsupportedOperationException | FileSystemException e) {
            return moveWithoutLink(from, to);
        }
        try {
            Files.deleteIfExists(from);
        } catch (IOException e) {
            // The file has its name. The one that is left is swept later.
            return true;
        }
        return true;
    }

    /** Renames a file where files cannot have two names. */
    private static boolean moveWithoutLink(Path from, Path to) throws IOException {
        try {
            Files.move(from, to);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
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
        naming(
                folder,
                () -> {
                    try (FileChannel open = FileChannel.open(folder, StandardOpenOption.READ)) {
                        open.force(true);
                        return folder;
                    }
                });
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        return naming(
                folder,
                () -> {
                    List<Path> found = new ArrayList<>();
                    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                        files.forEach(found::add);
                    } catch (DirectoryIteratorException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                    return found;
                });
    }

    @Override
    public FileState state(Path file) {
        try {
            return unixState(
                    Files.readAttributes(file, "unix:mode,size,lastModifiedTime,ctime,ino,dev"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return portableState(file);
        }
    }

    private static FileState unixState(Map<String, Object> attributes) {
        int type = value(attributes, "mode", Integer.class) & TYPE_BITS;
        return new FileState(
                type == REGULAR_BITS
                        ? FileState.Type.REGULAR
                        : type == FOLDER_BITS ? FileState.Type.FOLDER : FileState.Type.OTHER,
                value(attributes, "size", Long.class),
                value(attributes, "ctime", FileTime.class).toInstant(),
                value(attributes, "dev", Long.class),
                value(attributes, "ino", Long.class),
                attributes);
    }

    private static <T> T value(Map<String, Object> attributes, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(attributes.get(name), name));
    }

    private static FileState portableState(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            FileTime changed = attributes.lastModifiedTime();
            Object key = attributes.fileKey();
            return new FileState(
                    attributes.isRegularFile()
                            ? FileState.Type.REGULAR
                            : attributes.isDirectory()
                                    ? FileState.Type.FOLDER
                                    : FileState.Type.OTHER,
                    attributes.size(),
                    changed.toInstant(),
                    Files.getFileStore(file),
                    key == null ? attributes.creationTime() : key,
                    List.of(changed, attributes.creationTime(), Files.isReadable(file)));
        } catch (IOException e) {
            return new FileState(
                    FileState.Type.MISSING, 0, Instant.EPOCH, "", "", e.getClass().getName());
        }
    }

    @Override
    public void touch(Path file) throws IOException {
        naming(file, () -> Files.setLastModifiedTime(file, FileTime.from(Instant.now())));
    }

    @Override
    public long freeBytes(Path folder) throws IOException {
        return naming(
                folder,
                () -> {
                    if (!Files.exists(folder)) {
                        throw new NoSuchFileException(folder.toString());
                    }
                    if (!Files.isDirectory(folder)) {
                        throw new NotDirectoryException(folder.toString());
                    }
                    // Some systems do not report it. A FileStore would look for a mount point, too.
                    boolean isKnown = folder.toFile().getTotalSpace() > 0;
                    return isKnown ? folder.toFile().getUsableSpace() : Long.MAX_VALUE;
                });
    }
}
