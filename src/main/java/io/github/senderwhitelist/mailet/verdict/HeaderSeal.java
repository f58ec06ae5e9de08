package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.mailet.settings.Parameters;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.locks.LockSupport;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The seal on what this server writes and reads again later: the header of a verdict, and the
 * change that a user is asked to confirm. So it can see then that it has written it itself, for
 * this mail and recipient, or for this user and day.
 *
 * <p>The seal is the first 128 bits of an HMAC-SHA256 (RFC 2104), in the alphabet of Base64 for
 * URLs (RFC 4648, section 5). That of a change is made over a byte 2, and the length and the UTF-8
 * of the user, the day (ISO 8601) and the change. A length is an int, the least significant byte
 * first. {@link VerdictHeader} says what that of a header is made over.
 *
 * <p>The key is in the file {@code header.key} of the work directory, and never logged. Any bytes
 * will do. The same bytes on several servers let each believe the others' seals.
 *
 * @param key the key of this server, or of several
 */
public record HeaderSeal(SecretKey key) {
    private static final byte CHANGE = 2;
    private static final int SEAL_BYTES = 16;
    private static final int MIN_BYTES = 32;
    private static final int MAX_BYTES = 4096;

    /** For a second, an empty file is one that another server is writing. */
    private static final int MAX_WAITS = 100;

    private static final long WAIT_NANOS = 10_000_000;

    /** Returns the seal of the header with the verdict; null if mails get no such header. */
    public static @Nullable HeaderSeal ifWanted(Parameters parameters) {
        boolean isWanted = parameters.value("header", ValueType.either("on", "off"), "off");
        return isWanted ? of(parameters) : null;
    }

    /** Returns the seal of a server, whose key is made if it is missing. */
    public static HeaderSeal of(Parameters parameters) {
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
     * Returns the seal whose key is in a folder; both are made when they are missing. All threads
     * and servers that do this at once get the key of the one that made the file.
     *
     * @throws IOException when the key can be neither read nor made; the message names the file
     */
    static HeaderSeal in(Disk disk, Path folder) throws IOException {
        Path file = folder.resolve("header.key");
        if (disk.state(file).type() == FileState.Type.MISSING) {
            Disk.createFolders(disk, folder);
            make(disk, file);
            disk.force(folder);
        }
        byte[] key = read(disk, file);
        for (int wait = 0; key.length == 0 && wait < MAX_WAITS; wait++) {
            LockSupport.parkNanos(WAIT_NANOS);
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
            try {
                created.writeFully(ByteBuffer.wrap(key), 0);
                created.force();
            } catch (IOException e) {
                // On a full disk an empty file would stay, and no later start would make the key.
                disk.delete(file);
                throw e;
            }
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

    public static HeaderSeal of(byte[] key) {
        return new HeaderSeal(new SecretKeySpec(key, "HmacSHA256"));
    }

    /** Returns the seal of a change that a user is asked on a day to confirm. */
    public String sign(Address user, LocalDate day, String change) {
        return sign(CHANGE, new byte[0], user.toString(), day.toString(), change);
    }

    /** Returns whether this seal was put on a change for this user on this day. */
    public boolean verify(String seal, Address user, LocalDate day, String change) {
        return isEqual(sign(user, day, change), seal);
    }

    /** Returns the seal over a byte, these fields and what follows them. */
    String sign(byte kind, byte[] end, String... fields) {
        Hasher mac = Hashing.hmacSha256(key).newHasher().putByte(kind);
        for (String field : fields) {
            put(mac, field.getBytes(UTF_8));
        }
        byte[] seal = Arrays.copyOf(mac.putBytes(end).hash().asBytes(), SEAL_BYTES);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(seal);
    }

    static void put(Hasher hasher, byte[] bytes) {
        hasher.putInt(bytes.length).putBytes(bytes);
    }

    /** Compares seals. It takes the same time whatever has been found in place of the right one. */
    static boolean isEqual(String right, String found) {
        return MessageDigest.isEqual(right.getBytes(US_ASCII), found.getBytes(US_ASCII));
    }
}
