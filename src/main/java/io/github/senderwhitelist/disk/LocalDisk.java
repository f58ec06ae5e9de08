package io.github.senderwhitelist.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.nio.file.attribute.PosixFilePermissions.asFileAttribute;
import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static java.util.concurrent.TimeUnit.SECONDS;

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
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Collections;
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
                    0, 1, 0, SECONDS, new SynchronousQueue<>(), (task, pool) -> task.run());

    static {
        IN_CALLER.shutdown();
    }

    private static final boolean IS_UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    private static final FileAttribute<?>[] OWNER_ONLY_FILE = permissions("rw-------");
    private static final FileAttribute<?>[] OWNER_ONLY_FOLDER = permissions("rwx------");

    private static final String PROPERTIES =
            IS_UNIX
                    ? "unix:size,isRegularFile,isDirectory,lastModifiedTime,fileKey,ctime,mode"
                    : "size,isRegularFile,isDirectory,lastModifiedTime,fileKey,creationTime";

    private static FileAttribute<?>[] permissions(String permissions) {
        return IS_UNIX
                ? new FileAttribute<?>[] {asFileAttribute(fromString(permissions))}
                : new FileAttribute<?>[0];
    }

    /** Does something with a file, and adds its name to a failure. */
    private static <T> T naming(Path file, Callable<T> call) throws IOException {
        try {
            return call.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw named(file, e);
        }
    }

    /**
     * Returns a failure with the name of the file and the reason. Java's own often lack one: those
     * of a full disk say only "No space left on device". Callers tell two kinds from all others.
     */
    static IOException named(Path file, Throwable e) {
        Throwable cause =
                e instanceof ExecutionException ? Objects.requireNonNull(e.getCause()) : e;
        String name = file.toString();
        String reason =
                switch (cause) {
                    case ClosedChannelException closed -> "closed";
                    case FileSystemException said -> said.getReason();
                    default -> cause.getMessage();
                };
        String kind = cause.getClass().getSimpleName();
        IOException named =
                switch (cause) {
                    case NoSuchFileException no ->
                            new NoSuchFileException(name, null, "no such file");
                    case AccessDeniedException no ->
                            new AccessDeniedException(name, null, "no permission");
                    default -> new FileSystemException(name, null, reason == null ? kind : reason);
                };
        named.initCause(cause);
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
        return open(file, file, false);
    }

    /** Opens or creates a file that has this name in failures. */
    private static DiskFile open(Path file, Path name, boolean isNew) throws IOException {
        Set<OpenOption> options = isNew ? Set.of(CREATE_NEW, READ, WRITE) : Set.of(READ);
        return naming(
                name,
                () -> {
                    var channel =
                            AsynchronousFileChannel.open(file, options, IN_CALLER, OWNER_ONLY_FILE);
                    return new LocalFile(name, isNew, channel);
                });
    }

    @Override
    public DiskFile create(Path file, Path target) throws IOException {
        DiskFile created = open(file, target, true);
        keepOwnership(target, file);
        return created;
    }

    /**
     * Gives a new file the group, permissions and owner of the one that it is to replace, as far as
     * the user may do that. Without the group it gets no permissions for one, since they were meant
     * for another. If others could put any file there, root gives nothing away. A link in the place
     * of the new file is not followed. Only an open folder ensures this: {@code Files} follows
     * links when it sets permissions, whatever it is told.
     */
    static void keepOwnership(Path old, Path created) {
        try (DirectoryStream<Path> folder = Files.newDirectoryStream(created.resolveSibling(""))) {
            if (folder instanceof SecureDirectoryStream<Path> open && !mayBeSwapped(created)) {
                PosixFileAttributes from = Files.readAttributes(old, PosixFileAttributes.class);
                if (!from.isRegularFile()) {
                    return;
                }
                PosixFileAttributeView to =
                        open.getFileAttributeView(
                                created.getFileName(),
                                PosixFileAttributeView.class,
                                NOFOLLOW_LINKS);
                Set<PosixFilePermission> kept = new HashSet<>(from.permissions());
                try {
                    to.setGroup(from.group());
                } catch (IOException e) {
                    kept.removeAll(fromString("---rwx---"));
                }
                to.setPermissions(kept);
                to.setOwner(from.owner());
            }
        } catch (IOException e) {
            // There was none, or the file stays the user's own. Usually only root may give it away.
        }
    }

    /** Returns whether this is root in a folder in which others may replace a file. */
    private static boolean mayBeSwapped(Path file) throws IOException {
        PosixFileAttributes folder =
                Files.readAttributes(file.resolveSibling(""), PosixFileAttributes.class);
        return System.getProperty("user.name").equals("root")
                && (!folder.owner().getName().equals("root")
                        || !Collections.disjoint(folder.permissions(), fromString("----w--w-")));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        // On Unix, an atomic move replaces what is there.
        naming(to, () -> Files.move(from, to, ATOMIC_MOVE));
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
        try (DiskFile open = open(folder, folder, false)) {
            open.force();
        } catch (IOException e) {
            // Not every system can.
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
        boolean isFolder = value(found, "isDirectory", Boolean.class);
        FileState.Type other = isFolder ? FileState.Type.FOLDER : FileState.Type.OTHER;
        return new FileState(
                value(found, "isRegularFile", Boolean.class) ? FileState.Type.REGULAR : other,
                value(found, "size", Long.class),
                value(found, IS_UNIX ? "ctime" : "lastModifiedTime", FileTime.class).toInstant(),
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

    private static final class LocalFile extends DiskFile {
        private final boolean isNew;
        private final AsynchronousFileChannel channel;

        LocalFile(Path name, boolean isNew, AsynchronousFileChannel channel) {
            super(name);
            this.isNew = isNew;
            this.channel = channel;
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            return naming(name, () -> channel.read(into, position).get());
        }

        @Override
        int write(ByteBuffer from, long position) throws IOException {
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
            try {
                channel.force(true);
            } catch (IOException e) {
                throw named(name, e);
            }
        }

        @Override
        public boolean tryLock() {
            try {
                // What is open for reading can only have a lock that readers share.
                return channel.tryLock(0, Long.MAX_VALUE, !isNew) != null;
            } catch (IOException | OverlappingFileLockException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            try {
                channel.close();
            } catch (IOException e) {
                throw named(name, e);
            }
        }
    }
}
