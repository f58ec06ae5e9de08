package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The place for temporary files.
 *
 * @param disk the disk that the folder is on
 * @param folder the folder for the files
 */
public record Scratch(Disk disk, Path folder) {
    /** Creates a file that is deleted when it is closed; see {@link Disk#createTemporary}. */
    public DiskFile create() throws IOException {
        String name = "a temporary file in " + folder;
        try {
            return new NamedFile(disk.createTemporary(folder), name);
        } catch (IOException e) {
            throw FileFailures.ofCreating(name, folder, e);
        }
    }
}
