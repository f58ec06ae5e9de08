package io.github.senderwhitelist.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file that replaces another one completely or not at all. It is written in the same folder under
 * a temporary name, forced to the disk, and renamed. After a crash, the old file is still there.
 *
 * <p>The file is locked while it is written. This distinguishes files that another process is
 * writing from files that a killed process left behind.
 */
public final class AtomicFile implements Closeable {
    private static final String SUFFIX = ".tmp";

    /** How often a file is created at most until it is locked. */
    private static final int MAX_TRIES = 10;

    /**
     * The names of the files that this process writes. It must not sweep them: they are not locked
     * at once, and Unix forgets all locks of a process on a file as soon as it closes the file
     * once. With 64 random bits, the name identifies the file, whatever the path to its folder.
     */
    private static final Set<String> WRITTEN_HERE = ConcurrentHashMap.newKeySet();

    private final Disk disk;
    private final Path target;
    private final Path path;
    private final DiskFile file;
    private boolean published;

    private AtomicFile(Disk disk, Path target, Path path, DiskFile file) {
        this.disk = disk;
        this.target = target;
        this.path = path;
        this.file = file;
    }

    /**
     * Creates a file that is to replace {@code target}, with the permissions of {@code target}. If
     * {@code target} does not exist, only the owner may read and write the new file.
     */
    public static AtomicFile of(Disk disk, Path target) throws IOException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            AtomicFile file = create(disk, target);
            boolean isSafe = false;
            try {
                // Before it was locked, another process may have swept it.
                isSafe = !file.file.tryLock() || disk.state(file.path).isRegular();
                if (isSafe) {
                    return file;
                }
            } finally {
                if (!isSafe) {
                    file.close();
                }
            }
        }
        throw new FileSystemException(
                target.toString(), null, "another program deletes it while it is written");
    }

    private static AtomicFile create(Disk disk, Path target) throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        String name = prefix(target) + random + SUFFIX;
        Path path = folder(target).resolve(name);
        WRITTEN_HERE.add(name);
        try {
            return new AtomicFile(disk, target, path, disk.create(path, target));
        } catch (IOException | RuntimeException | Error e) {
            WRITTEN_HERE.remove(name);
            throw e;
        }
    }

    /** Returns the open file. */
    public DiskFile file() {
        return file;
    }

    /** Returns the temporary name. */
    Path path() {
        return path;
    }

    /** Forces the file to the disk and renames it to the target. It stays open and locked. */
    public void publish() throws IOException {
        file.force();
        disk.rename(path, target);
        published = true;
        Folders.force(disk, folder(target));
    }

    /**
     * Forces the file to the disk and renames it to the target unless the target exists.
     *
     * @return false when the target exists; it has not changed then
     */
    public boolean publishIfAbsent() throws IOException {
        file.force();
        published = disk.renameIfAbsent(path, target);
        Folders.force(disk, folder(target));
        return published;
    }

    /**
     * Deletes the file, even while another thread is writing it, for a program that was asked to
     * stop. If that fails, it is swept later.
     */
    public void abandon() {
        try {
            disk.delete(path);
        } catch (IOException e) {
            return;
        }
    }

    /** Closes the file, and deletes it unless it was published. */
    @Override
    public void close() throws IOException {
        try {
            file.close();
        } catch (IOException e) {
            if (!published) {
                throw e;
            }
            // The published file is complete on the disk, so the failure has no effect.
        } finally {
            WRITTEN_HERE.remove(path.getFileName().toString());
            if (!published) {
                abandon();
            }
        }
    }

    /**
     * Deletes the files that killed processes left behind in place of {@code target}, and temporary
     * files in its folder. Files that cannot be deleted stay, such as those of another user.
     */
    public static void sweep(Disk disk, Path target) throws IOException {
        for (Path left : disk.list(folder(target))) {
            try {
                sweep(disk, target, left);
            } catch (IOException e) {
                // It is in nobody's way.
            }
        }
    }

    private static void sweep(Disk disk, Path target, Path left) throws IOException {
        String name = left.getFileName().toString();
        if (WRITTEN_HERE.contains(name)) {
            return;
        }
        if (name.startsWith(prefix(target)) && name.endsWith(SUFFIX)) {
            try (DiskFile open = disk.open(left)) {
                if (open.tryLock()) {
                    disk.delete(left);
                }
            }
        } else if (name.startsWith(Disk.TEMPORARY_PREFIX)) {
            // If a living process uses it, it is open and no longer needs its name.
            disk.delete(left);
        }
    }

    private static String prefix(Path target) {
        return "." + target.getFileName() + ".";
    }

    private static Path folder(Path target) {
        return target.resolveSibling(".").toAbsolutePath().normalize();
    }
}
