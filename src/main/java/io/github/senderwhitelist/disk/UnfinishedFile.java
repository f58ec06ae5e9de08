package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * A file that takes its place whole or not at all: it is written beside it under a name of its own,
 * forced to the disk, and renamed. A crash leaves what was there before.
 *
 * <p>It is locked while it is written, so that what a killed process left can be told from what
 * another process is at work on.
 */
public final class UnfinishedFile implements Closeable {
    private static final String SUFFIX = ".tmp";

    private final Disk disk;
    private final Path target;
    private final Path path;
    private final DiskFile file;
    private boolean published;

    private UnfinishedFile(Disk disk, Path target, Path path, DiskFile file) {
        this.disk = disk;
        this.target = target;
        this.path = path;
        this.file = new NamedFile(file, target.toString());
    }

    /**
     * Begins a file that is to take the place of {@code target}, with its permissions; where there
     * is none yet, only the owner may read and write the new one.
     */
    public static UnfinishedFile of(Disk disk, Path target) throws IOException {
        return of(disk, target, target);
    }

    /** Begins a file that holds no secrets and gets the usual permissions. */
    public static UnfinishedFile readable(Disk disk, Path target) throws IOException {
        return of(disk, target, null);
    }

    private static UnfinishedFile of(Disk disk, Path target, @Nullable Path like)
            throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        Path path = folder(target).resolve(prefix(target) + random + SUFFIX);
        try {
            DiskFile file = disk.create(path, like);
            file.tryLock();
            return new UnfinishedFile(disk, target, path, file);
        } catch (IOException e) {
            throw FileFailures.ofCreating(target.toString(), folder(target), e);
        }
    }

    /** Returns the open file. */
    public DiskFile file() {
        return file;
    }

    /** Returns its name until it is published. */
    public Path path() {
        return path;
    }

    /** Puts it in its place, still open and locked. */
    public void publish() throws IOException {
        file.force();
        try {
            disk.rename(path, target);
        } catch (IOException e) {
            throw FileFailures.of(target, e);
        }
        published = true;
        Folders.force(disk, folder(target));
    }

    /**
     * Deletes it under the hands of whoever writes it, for a program that is told to stop. There is
     * nobody to tell of a failure.
     */
    public void abandon() {
        try {
            disk.delete(path);
        } catch (IOException e) {
            return;
        }
    }

    /** Closes it, and deletes it unless it was published. */
    @Override
    public void close() throws IOException {
        try {
            file.close();
        } catch (IOException e) {
            if (!published) {
                throw e;
            }
            // All of it is on the disk, in its place.
        } finally {
            if (!published) {
                delete();
            }
        }
    }

    private void delete() throws IOException {
        try {
            disk.delete(path);
        } catch (IOException e) {
            throw FileFailures.of(target, e);
        }
    }

    /**
     * Deletes what killed processes left of files that were to take the place of {@code target}.
     */
    public static void sweep(Disk disk, Path target) throws IOException {
        for (Path left : disk.list(folder(target))) {
            String name = left.getFileName().toString();
            if (name.startsWith(prefix(target)) && name.endsWith(SUFFIX)) {
                disk.deleteIfIdle(left);
            } else if (name.startsWith(Disk.TEMPORARY_PREFIX)) {
                // One that a living process uses may go, too: it is open, and needs no name.
                disk.delete(left);
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
