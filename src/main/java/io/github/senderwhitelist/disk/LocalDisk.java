package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
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
import java.security.SecureRandom;
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

    private static FileAttribute<?>[] permissions(String permissions) {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** An operation on a file. */
    @FunctionalInterface
    private interface FileCall<T> {
        T run() throws IOException;
    }

    private static <T> T naming(Path file, FileCall<T> call) throws IOException {
        try {
            return call.run();
        } catch (IOException e) {
            throw FileFailures.of(file, e);
        }
    }

    private static DiskFile named(Path file, FileChannel channel) {
        return new NamedFile(new ChannelFile(channel), file.toString());
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        requireRegular(file);
        return naming(file, () -> named(file, FileChannel.open(file, StandardOpenOption.READ)));
    }

    @Override
    public DiskFile openShared(Path file) throws IOException {
        requireRegular(file);
        return naming(file, () -> new NamedFile(SharedFile.open(this, file), file.toString()));
    }

    /**
     * Refuses folders, pipes and devices. Opening a pipe would wait for a writer, and a device may
     * have no end.
     */
    private void requireRegular(Path file) throws IOException {
        FileState state = state(file);
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
        return naming(file, () -> named(file, createChannel(file, like)));
    }

    private static FileChannel createChannel(Path file, @Nullable Path like) throws IOException {
        Set<OpenOption> options =
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        FileAttribute<?>[] usual = {};
        FileChannel channel =
                FileChannel.open(file, options, like == null ? usual : OWNER_ONLY_FILE);
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
        if (!own.group().equals(like.group()) && !isAllowed(() -> view.setGroup(like.group()))) {
            wanted.removeAll(PosixFilePermissions.fromString("---rwx---"));
        }
        view.setPermissions(wanted);
        if (!own.owner().equals(like.owner())) {
            isAllowed(() -> view.setOwner(like.owner()));
        }
    }

    /** A change of a file. */
    @FunctionalInterface
    private interface FileChange {
        void run() throws IOException;
    }

    /** Makes a change, and returns whether it was allowed. */
    private static boolean isAllowed(FileChange change) {
        try {
            change.run();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public DiskFile createTemporary(Path folder) throws IOException {
        Set<OpenOption> options =
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
        String random = Long.toHexString(new SecureRandom().nextLong());
        Path file = folder.resolve(TEMPORARY_PREFIX + random);
        return naming(file, () -> named(file, FileChannel.open(file, options, OWNER_ONLY_FILE)));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        naming(
                from,
                () ->
                        Files.move(
                                from,
                                to,
                                StandardCopyOption.ATOMIC_MOVE,
                                StandardCopyOption.REPLACE_EXISTING));
    }

    @Override
    public boolean renameIfAbsent(Path from, Path to) throws IOException {
        return naming(from, () -> moveIfAbsent(from, to));
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
    public void deleteIfIdle(Path file) throws IOException {
        try (DiskFile open =
                naming(
                        file,
                        () ->
                                named(
                                        file,
                                        FileChannel.open(
                                                file,
                                                StandardOpenOption.WRITE,
                                                LinkOption.NOFOLLOW_LINKS)))) {
            if (open.tryLock()) {
                delete(file);
            }
        }
    }

    @Override
    public void createFolder(Path folder, boolean ownerOnly) throws IOException {
        FileAttribute<?>[] usual = {};
        naming(
                folder,
                () -> Files.createDirectories(folder, ownerOnly ? OWNER_ONLY_FOLDER : usual));
    }

    @Override
    public void force(Path folder) throws IOException {
        try (DiskFile open =
                naming(
                        folder,
                        () -> named(folder, FileChannel.open(folder, StandardOpenOption.READ)))) {
            open.force();
        }
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            files.forEach(found::add);
        } catch (DirectoryIteratorException e) {
            throw FileFailures.of(folder, Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw FileFailures.of(folder, e);
        }
        return found;
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
                attributes.get("dev") + ":" + attributes.get("ino"),
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
                    key == null ? attributes.creationTime() : key,
                    List.of(changed, attributes.creationTime(), Files.isReadable(file)));
        } catch (IOException e) {
            return new FileState(
                    FileState.Type.MISSING, 0, Instant.EPOCH, "", e.getClass().getName());
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

    @Override
    public boolean isOnOneDisk(Path folder, Path other) throws IOException {
        return device(folder).equals(device(other));
    }

    private static Object device(Path folder) throws IOException {
        return naming(
                folder,
                () ->
                        folder.getFileSystem().supportedFileAttributeViews().contains("unix")
                                ? Files.getAttribute(folder, "unix:dev")
                                : Files.getFileStore(folder));
    }
}
