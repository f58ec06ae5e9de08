package io.github.senderwhitelist.snapshot;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * A file that takes its place whole or not at all: written beside it under a name of its own,
 * forced to the disk, and renamed. A crash leaves what was there before.
 *
 * <p>It is locked while it is written, so that what a killed process left behind can be told from
 * what another one is at work on.
 */
final class UnfinishedFile implements Closeable {
    private static final String SUFFIX = ".tmp";

    private final Path target;
    private final Path path;
    private final FileChannel channel;

    private UnfinishedFile(Path target, Path path, FileChannel channel) {
        this.target = target;
        this.path = path;
        this.channel = channel;
    }

    /**
     * Begins a file. Not a temporary file of the system's: it keeps its permissions, and others
     * must read it.
     */
    static UnfinishedFile of(Path target) throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        Path path = folder(target).resolve(prefix(target) + random + SUFFIX);
        FileChannel channel =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        lock(channel);
        return new UnfinishedFile(target, path, channel);
    }

    /** Whether nobody else is at work on the file; where files cannot be locked, nobody knows. */
    @SuppressWarnings("resource")
    private static boolean lock(FileChannel channel) {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
    }

    /** Puts it in its place, still locked. */
    void publish() throws IOException {
        channel.force(true);
        Files.move(
                path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceFolder(folder(target));
    }

    /**
     * The rename itself is safe from a crash once the folder is on the disk; not every system can
     * do that.
     */
    private static void forceFolder(Path folder) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // The file is in place; only its survival of a power cut in the next seconds is less
            // sure.
            return;
        }
    }

    /** Deletes it, unless it was put in its place. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }

    /** Deletes what killed processes left of this file. */
    static void sweep(Path target) throws IOException {
        try (DirectoryStream<Path> left =
                Files.newDirectoryStream(
                        folder(target),
                        path -> {
                            String name = path.getFileName().toString();
                            return name.startsWith(prefix(target)) && name.endsWith(SUFFIX);
                        })) {
            for (Path path : left) {
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    if (lock(channel)) {
                        Files.deleteIfExists(path);
                    }
                }
            }
        }
    }

    private static String prefix(Path target) {
        return "." + target.getFileName() + ".";
    }

    private static Path folder(Path target) {
        return target.resolveSibling(".").toAbsolutePath().normalize();
    }
}
