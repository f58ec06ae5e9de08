package io.github.senderwhitelist.address;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The hash of keys that the filters work on: 64 bits, seeded.
 *
 * <p>A sender chooses its address. With a hash it can compute, a spammer could make addresses that
 * every filter answers "maybe" for, so the seed is secret and the hash must be hard to defeat
 * without it. PolymurHash 2.0 has a proven bound: for any two keys of up to n bytes, over the
 * random seeds, the chance of a collision is at most n · 2^-60.2 (Peters, "PolymurHash", 2023).
 *
 * <p>An address is hashed whole, a domain without its {@code @}, so that the domain keys of an
 * address are hashed in place.
 */
public final class KeyHasher {
    private static final long TWEAK = 0x53574c31L;

    private final Hasher64 hasher;

    /** The hash for one seed. */
    public KeyHasher(long seed) {
        this.hasher = Hashing.polymurHash2_0(TWEAK, seed);
    }

    /** The hash of a key. */
    public long hash(Key key) {
        return key.isDomain()
                ? hashDomain(key.bytes(), key.domainStart())
                : hasher.hashBytesToLong(key.bytes(), 0, key.bytes().length);
    }

    /** The hash of the domain key {@code bytes[domainStart, bytes.length)}. */
    public long hashDomain(byte[] bytes, int domainStart) {
        return hasher.hashBytesToLong(bytes, domainStart, bytes.length - domainStart);
    }

    /**
     * The hash of the key with the sort key {@code bytes[0, length)} and a local part of that
     * length. The zero between local part and domain becomes an {@code @} meanwhile.
     */
    public long hashSortKey(byte[] bytes, int length, int localLength) {
        if (localLength == 0) {
            return hasher.hashBytesToLong(bytes, 1, length - 1);
        }
        bytes[localLength] = '@';
        long hash = hasher.hashBytesToLong(bytes, 0, length);
        bytes[localLength] = 0;
        return hash;
    }
}
