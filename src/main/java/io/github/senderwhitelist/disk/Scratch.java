package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A place for temporary files.
 *
 * @param disk what the folder is on
 * @param folder where they lie as long as they have a name
 */
public record Scratch(Disk disk, Path folder) {
    /** Creates a file that is gone when it is closed; see {@link Disk#createTemporary}. */
    public DiskFile create() throws IOException {
        String name = "a temporary file in " + folder;
        try {
            return new NamedFile(disk.createTemporary(folder), name);
        } catch (IOException e) {
            throw FileFailures.ofCreating(name, folder, e);
        }
    }
}
