package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/** A place for temporary files: a disk, and a folder on it that exists. */
public record Scratch(Disk disk, Path folder) {
    /**
     * Creates a file that vanishes when it is closed or the process ends, however that happens: it
     * loses its name as soon as it is open. Only a crash in between leaves its name behind.
     * Failures get the name of the folder.
     */
    public DiskFile create() throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        Path path = folder.resolve(Disk.TEMPORARY_PREFIX + random);
        DiskFile file = disk.create(path, folder);
        try {
            disk.delete(path);
            return file;
        } catch (IOException e) {
            file.close();
            throw LocalDisk.named(folder, e);
        }
    }
}
