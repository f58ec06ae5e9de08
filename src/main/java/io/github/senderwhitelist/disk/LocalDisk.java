package io.github.senderwhitelist.disk;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
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
import java.security.SecureRandom;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The local disks, accessed through Java's file systems. Other channels are closed for all threads
 * when one that uses them is interrupted; asynchronous ones are not. Here, too, each thread does
 * its own reading and writing.
 */
final class LocalDisk implements Disk {
    /** Runs each task in the thread that brings it, since it takes none any more. */
    private static final ExecutorService IN_CALLER =
            new ThreadPoolExecutor(
                    0,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    (task, pool) -> task.run());

    static {
        IN_CALLER.shutdown();
    }

    private static final Set<StandardOpenOption> NEW =
            EnumSet.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);

    private static final Set<String> VIEWS = FileSystems.getDefault().supportedFileAttributeViews();
    private static final FileAttribute<?>[] OWNER_ONLY_FILE = permissions("rw-------");
    private static final FileAttribute<?>[] OWNER_ONLY_FOLDER = permissions("rwx------");
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

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

    /** Does something with a file, and adds its name to a failure. */
    private static <T> T naming(Path file, Callable<T> call) throws IOException {
        try {
            return call.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (ExecutionException e) {
            throw named(file, Objects.requireNonNull(e.getCause()));
        } catch (Exception e) {
            throw named(file, e);
        }
    }

    /**
     * Returns a failure with the name of the file and the reason. Java's own exceptions often lack
     * one of them: those of a full disk say only "No space left on device". Callers tell two kinds
     * from all others.
     */
    static IOException named(Path file, Throwable e) {
        String name = file.toString();
        String reason =
                switch (e) {
                    case FileSystemException said -> said.getReason();
                    case ClosedChannelException closed -> "closed";
                    default -> e.getMessage();
                };
        IOException named =
                switch (e) {
                    case NoSuchFileException no ->
                            new NoSuchFileException(name, null, "no such file");
                    case AccessDeniedException no ->
                            new AccessDeniedException(name, null, "no permission");
                    default ->
                            new FileSystemException(
                                    name,
                                    null,
                                    reason == null ? e.getClass().getSimpleName() : reason);
                };
        named.initCause(e);
        return named;
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        switch (state(file).type()) {
            case FOLDER -> throw new IOException(file + ": a folder; allowed: a file");
            case OTHER ->
                    throw new IOException(
                            file
                                    + ": a pipe or a device; allowed: a regular file, or - for"
                                    + " standard input where a command takes it");
            case REGULAR, MISSING -> {}
        }
        return open(file, file, EnumSet.of(StandardOpenOption.READ));
    }

    /** Opens or creates a file that has this name in failures. */
    private static DiskFile open(Path file, Path name, Set<StandardOpenOption> options)
            throws IOException {
        boolean isReadOnly = !options.contains(StandardOpenOption.WRITE);
        return naming(
                name,
                () ->
                        new LocalFile(
                                name,
                                isReadOnly,
                                AsynchronousFileChannel.open(
                                        file, options, IN_CALLER, OWNER_ONLY_FILE)));
    }

    @Override
    public DiskFile create(Path file, Path target) throws IOException {
        DiskFile created = open(file, target, NEW);
        keepOwnership(target, file);
        return created;
    }

    @Override
    public DiskFile createTemporary(Path folder) throws IOException {
        Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.DELETE_ON_CLOSE);
        options.addAll(NEW);
        String random = Long.toHexString(new SecureRandom().nextLong());
        return open(folder.resolve(TEMPORARY_PREFIX + random), folder, options);
    }

    /**
     * Gives a new file the group, permissions and owner of the one that it is to replace, as far as
     * the user may do that. If the group cannot be kept, the file has no permissions for a group,
     * since they were meant for another one. If others could put any file there, root gives nothing
     * away.
     *
     * <p>A link that was put in the place of the new file is not followed. Only an open folder
     * ensures this: {@code Files} follows links when it sets permissions, whatever it is told.
     */
    static void keepOwnership(Path old, Path created) {
        try (DirectoryStream<Path> folder = Files.newDirectoryStream(created.resolveSibling(""))) {
            if (folder instanceof SecureDirectoryStream<Path> open && !mayBeSwapped(created)) {
                PosixFileAttributes from = Files.readAttributes(old, PosixFileAttributes.class);
                PosixFileAttributeView to =
                        open.getFileAttributeView(
                                created.getFileName(),
                                PosixFileAttributeView.class,
                                LinkOption.NOFOLLOW_LINKS);
                Set<PosixFilePermission> kept = new HashSet<>(from.permissions());
                try {
                    to.setGroup(from.group());
                } catch (IOException e) {
                    kept.removeAll(PosixFilePermissions.fromString("---rwx---"));
                }
                to.setPermissions(kept);
                to.setOwner(from.owner());
            }
        } catch (IOException e) {
            // There was none, or the file stays the user's own. Usually only root may give it away.
            return;
        }
    }

    /** Returns whether this is root in a folder in which others may replace a file. */
    private static boolean mayBeSwapped(Path file) throws IOException {
        String root = "root";
        PosixFileAttributes folder =
                Files.readAttributes(file.resolveSibling(""), PosixFileAttributes.class);
        return System.getProperty("user.name").equals(root)
                && (!folder.owner().getName().equals(root)
                        || !Collections.disjoint(folder.permissions(), OTHERS_WRITE));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        // On Unix, an atomic move replaces what is there.
        naming(to, () -> Files.move(from, to, StandardCopyOption.ATOMIC_MOVE));
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
    public void force(Path folder) {
        try (DiskFile open = open(folder, folder, EnumSet.of(StandardOpenOption.READ))) {
            open.force();
        } catch (IOException e) {
            // Not every system can.
            return;
        }
    }

    @Override
    public List<Path> list(Path folder) {
        String[] names = folder.toFile().list();
        return names == null ? List.of() : Stream.of(names).map(folder::resolve).toList();
    }

    @Override
    public FileState state(Path file) {
        Map<String, Object> found;
        try {
            found = Files.readAttributes(file, PROPERTIES);
        } catch (IOException e) {
            return FileState.missing(e);
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

    private static <T> T value(Map<String, Object> properties, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(properties.get(name), name));
    }

    @Override
    public long freeBytes(Path folder) {
        // A FileStore would look for a mount point, too.
        File file = folder.toFile();
        return file.getTotalSpace() > 0 ? file.getUsableSpace() : Long.MAX_VALUE;
    }

    /** An open file. */
    private record LocalFile(Path name, boolean isReadOnly, AsynchronousFileChannel channel)
            implements DiskFile {
        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            return naming(name, () -> channel.read(into, position).get());
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            if (Thread.currentThread().isInterrupted()) {
                throw named(name, new InterruptedIOException("interrupted"));
            }
            return naming(name, () -> channel.write(from, position).get());
        }

        @Override
        public long size() throws IOException {
            return naming(name, channel::size);
        }

        @Override
        public void force() throws IOException {
            naming(
                    name,
                    () -> {
                        channel.force(true);
                        return this;
                    });
        }

        @Override
        public boolean tryLock() {
            try {
                // What is open for reading can only have a lock that readers share.
                return channel.tryLock(0, Long.MAX_VALUE, isReadOnly) != null;
            } catch (IOException | OverlappingFileLockException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            naming(
                    name,
                    () -> {
                        channel.close();
                        return this;
                    });
        }

        @Override
        public String toString() {
            return name.toString();
        }
    }
}
