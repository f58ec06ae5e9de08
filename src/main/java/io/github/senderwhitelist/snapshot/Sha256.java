package io.github.senderwhitelist.snapshot;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

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
}
