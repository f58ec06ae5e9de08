package io.github.senderwhitelist.sort;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * Temporary files that are gone when they are closed, however the process ends: where the system
 * can do it (Unix), they lose their names as soon as they are open.
 */
public final class UnnamedFile {
    /** What their names begin with as long as they have one. */
    public static final String PREFIX = ".swl-sort-";

    private UnnamedFile() {}

    /** A new file in that folder, to be written and read. */
    static FileChannel open(Path folder) throws IOException {
        String random = Long.toHexString(new SecureRandom().nextLong());
        return FileChannel.open(
                folder.resolve(PREFIX + random),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }
}
