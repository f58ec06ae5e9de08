package io.github.senderwhitelist.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file that replaces another one completely or not at all. It is written in the same folder under
 * a temporary name, forced to the disk, and renamed. It is locked meanwhile, so that processes that
 * {@link #sweep} can tell it from those that killed ones left behind.
 */
public final class AtomicFile implements Closeable {
    private static final String SUFFIX = ".tmp";

    /** What this process writes. To open and close it would end its lock on Unix. */
    private static final Set<Path> BEING_WRITTEN = ConcurrentHashMap.newKeySet();

    private final Disk disk;
    private final Path target;
    private final Path path;
    private final DiskFile file;

    /** Whether it was locked before any sweep came. */
    private final boolean isSafe;

    private boolean isPublished;
    private boolean isReleased;

    /** Creates a file that is to replace {@code target}; see {@link Disk#create}. */
    public static AtomicFile create(Disk disk, Path target) throws IOException {
        AtomicFile created = new AtomicFile(disk, target);
        if (created.isSafe) {
            return created;
        }
        // A sweep that had seen it before it was locked has not seen the next one.
        created.close();
        return new AtomicFile(disk, target);
    }

    private AtomicFile(Disk disk, Path target) throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        this.disk = disk;
        this.target = target;
        this.path = folder(target).resolve(prefix(target) + random + SUFFIX);
        BEING_WRITTEN.add(path);
        try {
            this.file = disk.create(path, target);
            this.isSafe = file.tryLock() && disk.state(path).isRegular();
        } catch (IOException | RuntimeException | Error e) {
            BEING_WRITTEN.remove(path);
            throw e;
        }
    }

    public DiskFile file() {
        return file;
    }

    /** Forces the file to the disk and renames it to the target. It stays open and locked. */
    public void publish() throws IOException {
        file.force();
        try {
            disk.rename(path, target);
        } catch (NoSuchFileException e) {
            throw new FileSystemException(
                    target.toString(), null, "another program deletes it while it is written");
        }
        isPublished = true;
        disk.force(folder(target));
    }

    /** Deletes the file, even while it is written. If that fails, it is swept later. */
    public void abandon() {
        try {
            disk.delete(path);
        } catch (IOException e) {
            return;
        }
    }

    /** Returns the open file, which the caller closes from now on. */
    public DiskFile release() {
        isReleased = true;
        return file;
    }

    /** Closes the file unless it was released, and deletes it unless it was published. */
    @Override
    public void close() {
        try {
            if (!isReleased) {
                file.close();
            }
        } catch (IOException e) {
            // What was published is complete on the disk, and all else is deleted.
        } finally {
            BEING_WRITTEN.remove(path);
            if (!isPublished) {
                abandon();
            }
        }
    }

    /**
     * Deletes the files that killed processes left behind in place of {@code target}, and temporary
     * files in its folder, if it can.
     */
    public static void sweep(Disk disk, Path target) {
        for (Path left : disk.list(folder(target))) {
            String name = left.getFileName().toString();
            boolean isTemporary =
                    name.startsWith(Disk.TEMPORARY_PREFIX)
                            || (name.startsWith(prefix(target)) && name.endsWith(SUFFIX));
            if (isTemporary && !BEING_WRITTEN.contains(left)) {
                try (DiskFile open = disk.open(left)) {
                    if (open.tryLock()) {
                        disk.delete(left);
                    }
                } catch (IOException e) {
                    // It is in nobody's way.
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
