package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * A place for temporary files.
 *
 * @param disk the disk that the folder is on
 * @param folder the folder, which must exist
 */
public record Scratch(Disk disk, Path folder) {
    /**
     * Creates a file that is deleted when it is closed or the process ends, however that happens:
     * it loses its name as soon as it is open. Only a crash in between leaves its name behind.
     */
    public DiskFile create() throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        Path path = folder.resolve(Disk.TEMPORARY_PREFIX + random);
        DiskFile file = disk.create(path, null);
        try {
            disk.delete(path);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
        return file;
    }
}
