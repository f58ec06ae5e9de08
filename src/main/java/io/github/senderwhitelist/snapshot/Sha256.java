package io.github.senderwhitelist.snapshot;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, the digest by which the sources of snapshots are told apart. */
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
}
