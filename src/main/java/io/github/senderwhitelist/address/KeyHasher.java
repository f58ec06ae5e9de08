package io.github.senderwhitelist.address;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The seeded hash of 64 bits that filters use for keys.
 *
 * <p>A spammer who could compute the hash could choose addresses to which every filter answers
 * "maybe". So the seed is secret, and the hash has a proven bound: for any two keys of up to n
 * bytes, the chance of a collision over random seeds is at most n · 2^-60.2 (Peters, "PolymurHash
 * 2.0", 2023).
 *
 * <p>An address is hashed as a whole. A domain key is hashed without its zero byte, so the domain
 * keys of an address can be hashed in place.
 */
public final class KeyHasher {
    private static final long TWEAK = 0x53574c31L;

    private final Hasher64 hasher;

    /** Makes the hash function for a seed. */
    public KeyHasher(long seed) {
        this.hasher = Hashing.polymurHash2_0(TWEAK, seed);
    }

    /** Returns the hash of a key. */
    public long hash(Key key) {
        return hash(key.bytes(), key.hashedFrom());
    }

    /** Returns the hash of the address {@code bytes}, or of the domain that begins later in it. */
    public long hash(byte[] bytes, int from) {
        return hasher.hashBytesToLong(bytes, from, bytes.length - from);
    }
}
