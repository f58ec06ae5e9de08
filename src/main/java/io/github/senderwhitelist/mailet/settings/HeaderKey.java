package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Folders;
import io.github.senderwhitelist.disk.UnfinishedFile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret key of seals on headers and on what users confirm, in a file. It is never logged.
 *
 * <p>Any bytes will do. The same bytes on several servers let each believe the others' headers.
 */
public final class HeaderKey {
    /** The name of the file in the work directory. */
    static final String FILE = "header.key";

    /** The allowed lengths, for messages. */
    static final String ALLOWED = "a file of 32 to 4096 bytes, such as of random ones";

    /** The algorithm of seals. */
    static final String ALGORITHM = "HmacSHA256";

    private static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 4096;

    private HeaderKey() {}

    /**
     * Returns the key in a folder. Makes the folder and a random key when they are missing. Of
     * several servers that do this at once, all get the same key.
     *
     * @throws IOException when the key can be neither read nor made; the message names the file
     */
    static SecretKey in(Disk disk, Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (disk.state(file).type() == FileState.Type.MISSING) {
            Folders.make(disk, folder, true);
            make(disk, file);
        }
        return read(disk, file);
    }

    /** Returns the key that bytes are. */
    public static SecretKey of(byte[] key) {
        return new SecretKeySpec(key, ALGORITHM);
    }

    private static void make(Disk disk, Path file) throws IOException {
        byte[] key = new byte[LEAST_BYTES];
        new SecureRandom().nextBytes(key);
        try (UnfinishedFile unfinished = UnfinishedFile.of(disk, file)) {
            unfinished.file().writeFully(ByteBuffer.wrap(key), 0);
            unfinished.publishIfAbsent();
        }
    }

    /**
     * Returns the key in a file.
     *
     * @throws IOException when it cannot be read, or is too short or too long; the message names
     *     the file
     */
    static SecretKey read(Disk disk, Path file) throws IOException {
        try (InputStream in = DiskInput.open(disk, file)) {
            byte[] key = in.readNBytes(MOST_BYTES + 1);
            if (key.length < LEAST_BYTES || key.length > MOST_BYTES) {
                throw new IOException(
                        file
                                + ": "
                                + (key.length > MOST_BYTES ? "more than 4096" : key.length)
                                + " bytes");
            }
            return of(key);
        }
    }
}
