package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** Makes names in folders outlive a power cut. */
public final class Folders {
    private Folders() {}

    /**
     * Makes a folder, and those above it, unless they exist.
     *
     * @param ownerOnly whether only the owner may look into a new one
     */
    public static void make(Disk disk, Path folder, boolean ownerOnly) throws IOException {
        FileState.Type type = disk.state(folder).type();
        if (type == FileState.Type.REGULAR || type == FileState.Type.OTHER) {
            throw new IOException(folder + ": not a folder");
        }
        if (type == FileState.Type.MISSING) {
            Path above = folder.toAbsolutePath().getParent();
            if (above != null) {
                make(disk, above, ownerOnly);
            }
            disk.createFolder(folder, ownerOnly);
            force(disk, above);
        }
    }

    /**
     * Forces the names in a folder to the disk where that can be done. Not every system can, and
     * there only a power cut in the next seconds could bring the old names back.
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
