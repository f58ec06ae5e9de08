package io.github.senderwhitelist.snapshot;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest that tells the sources of snapshots apart. */
public final class Sha256 {
    private Sha256() {}

    /** A new SHA-256 digest. */
    public static MessageDigest start() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
