package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** Creates folders so that they survive a power cut. */
public final class Folders {
    private Folders() {}

    /**
     * Creates a folder and its missing parents, and forces their names to the disk. Does nothing
     * when the folder exists. Only the owner may access new folders.
     */
    public static void make(Disk disk, Path folder) throws IOException {
        FileState.Type type = disk.state(folder).type();
        if (type == FileState.Type.REGULAR || type == FileState.Type.OTHER) {
            throw new IOException(folder + ": not a folder");
        }
        if (type == FileState.Type.MISSING) {
            Path above = folder.toAbsolutePath().getParent();
            if (above != null) {
                make(disk, above);
            }
            disk.createFolder(folder);
            force(disk, above);
        }
    }

    /**
     * Forces the names in a folder to the disk, and ignores failures. Some systems cannot force
     * folders. There, a power cut within seconds may bring the old names back.
     */
    static void force(Disk disk, @Nullable Path folder) {
        try {
            if (folder != null) {
                disk.force(folder);
            }
        } catch (IOException e) {
            return;
        }
    }
}
