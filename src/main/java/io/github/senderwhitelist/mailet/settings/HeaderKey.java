package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret key of seals on headers and on what users confirm, in the file {@code header.key} of
 * the work directory. It is never logged.
 *
 * <p>Any bytes will do. The same bytes on several servers let each believe the others' headers.
 */
public final class HeaderKey {
    private static final int MIN_BYTES = 32;
    private static final int MAX_BYTES = 4096;

    /** For a second, an empty file is one that another server is writing. */
    private static final Duration WAIT = Duration.ofMillis(10);

    private static final int MAX_WAITS = 100;

    private HeaderKey() {}

    /** Returns the key of the header with the verdict; null if mails get no such header. */
    public static @Nullable SecretKey ifWanted(Parameters parameters) throws SettingException {
        boolean isWanted = parameters.value("header", ValueType.either("on", "off"), "off");
        return isWanted ? read(parameters) : null;
    }

    /** Returns the key of the seals of a server, which is made if it is missing. */
    public static SecretKey read(Parameters parameters) throws SettingException {
        try {
            return in(Disk.LOCAL, parameters.workDirectory());
        } catch (IOException e) {
            throw parameters.wrong(
                    "there is no key for seals: "
                            + e.getMessage()
                            + "; allowed: a file of 32 to 4096 bytes, such as of random ones; it is"
                            + " made in workDirectory if it is missing");
        }
    }

    /**
     * Returns the key in a folder. Makes the folder and a random key when they are missing. All
     * threads and servers that do this at once get the key of the one that made the file.
     *
     * @throws IOException when the key can be neither read nor made; the message names the file
     */
    static SecretKey in(Disk disk, Path folder) throws IOException {
        Path file = folder.resolve("header.key");
        if (disk.state(file).type() == FileState.Type.MISSING) {
            Disk.createFolders(disk, folder);
            make(disk, file);
            disk.force(folder);
        }
        byte[] key = read(disk, file);
        for (int wait = 0; key.length == 0 && wait < MAX_WAITS; wait++) {
            // Another server has just created the file, and writes the key now.
            LockSupport.parkNanos(WAIT.toNanos());
            key = read(disk, file);
        }
        if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
            String found = key.length > MAX_BYTES ? "more than 4096" : "" + key.length;
            throw new IOException(file + ": " + found + " bytes");
        }
        return of(key);
    }

    private static void make(Disk disk, Path file) throws IOException {
        byte[] key = new byte[MIN_BYTES];
        new SecureRandom().nextBytes(key);
        try (DiskFile created = disk.create(file, file)) {
            created.writeFully(ByteBuffer.wrap(key), 0);
            created.force();
        } catch (IOException e) {
            if (disk.state(file).type() == FileState.Type.MISSING) {
                throw e;
            }
            // Another server was faster.
        }
    }

    private static byte[] read(Disk disk, Path file) throws IOException {
        try (InputStream in = disk.open(file).input()) {
            return in.readNBytes(MAX_BYTES + 1);
        }
    }

    /** Returns the key that bytes are. */
    public static SecretKey of(byte[] key) {
        return new SecretKeySpec(key, "HmacSHA256");
    }
}
