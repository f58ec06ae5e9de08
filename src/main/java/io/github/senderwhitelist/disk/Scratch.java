package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.file.Path;

/** A place for temporary files: a disk, and a folder on it that exists. */
public record Scratch(Disk disk, Path folder) {
    /** Creates a file that vanishes when it is closed or the process ends. */
    public DiskFile create() throws IOException {
        return disk.createTemporary(folder);
    }
}
