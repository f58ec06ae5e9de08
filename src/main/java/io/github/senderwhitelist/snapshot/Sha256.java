package io.github.senderwhitelist.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Makes SHA-256 digests, of the sources of snapshots and of paths. */
public final class Sha256 {
    private Sha256() {}

    /** Returns a new SHA-256 digest. */
    public static MessageDigest start() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Returns the first bytes of a text's digest in hexadecimal digits. */
    public static String hex(String text, int bytes) {
        return HexFormat.of().formatHex(start().digest(text.getBytes(UTF_8)), 0, bytes);
    }
}
