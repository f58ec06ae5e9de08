package io.github.senderwhitelist.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * A fast hash of domains for tables in memory. Its seed is random in each process, so that nobody
 * can write a list whose domains all collide. It must not be stored.
 */
final class DomainHash {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    private static final long SEED = new SecureRandom().nextLong();

    private DomainHash() {}

    /** Returns the hash of {@code bytes[from, to)}. */
    static int of(byte[] bytes, int from, int to) {
        long hash = SEED + to - from;
        if (to - from < Long.BYTES) {
            long word = 0;
            for (int i = from; i < to; i++) {
                word = word << 8 | (bytes[i] & 0xff);
            }
            hash = step(hash, word);
        } else {
            for (int i = from; i < to - Long.BYTES; i += Long.BYTES) {
                hash = step(hash, (long) LONGS.get(bytes, i));
            }
            hash = step(hash, (long) LONGS.get(bytes, to - Long.BYTES));
        }
        hash *= MULTIPLIER;
        return (int) (hash >>> 32);
    }

    private static long step(long hash, long word) {
        long mixed = (hash ^ word) * MULTIPLIER;
        return mixed ^ mixed >>> 29;
    }
}
