package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * The addresses to compare on, in random order, so that the first n of them are a random sample.
 * Keeps the hashes of all, the keys of the first {@value #MOST_KEYS}, and, if wanted, the text of
 * all.
 */
public final class ListedAddresses {
    /** The most addresses: an array holds no more. */
    public static final long MOST = Integer.MAX_VALUE - 8;

    /** The most keys that are kept. */
    static final int MOST_KEYS = 1 << 19;

    private final KeyHasher hasher;
    private final SplittableRandom random;
    private final long[] hashes;
    private final Key[] keys;
    private final String @Nullable [] texts;
    private int count;

    private ListedAddresses(long n, long seed, boolean texts) {
        this.hasher = new KeyHasher(seed);
        this.random = new SplittableRandom(seed);
        this.hashes = new long[Math.toIntExact(n)];
        this.keys = new Key[(int) Math.min(n, MOST_KEYS)];
        this.texts = texts ? new String[hashes.length] : null;
    }

    /**
     * Returns generated addresses, which are always the same.
     *
     * @param n their number, from 1 to {@link #MOST}
     * @param seed the seed of their hashes and their order
     * @param texts whether their text is wanted
     */
    public static ListedAddresses generated(long n, long seed, boolean texts) {
        ListedAddresses addresses = new ListedAddresses(n, seed, texts);
        for (long i = 0; i < n; i++) {
            addresses.add(GeneratedAddresses.address(i));
        }
        return addresses;
    }

    /**
     * Returns the addresses of a snapshot, each once, denied ones included, without domain entries.
     *
     * @param seed the seed of their hashes and their order
     * @param texts whether their text is wanted
     * @throws IOException if the snapshot cannot be read, or has addresses at the strangers' domain
     */
    public static ListedAddresses of(Snapshot snapshot, long seed, boolean texts)
            throws IOException {
        long n = snapshot.header().addresses();
        ListedAddresses addresses = new ListedAddresses(n, seed, texts);
        byte[] strangers = GeneratedAddresses.STRANGERS.getBytes(StandardCharsets.US_ASCII);
        Objects.requireNonNull(snapshot.store())
                .forEach(
                        entry -> {
                            Key key = entry.key();
                            if (key.isDomain() || entry.to() != null) {
                                return;
                            }
                            if (Arrays.equals(
                                    key.bytes(),
                                    key.domainStart(),
                                    key.bytes().length,
                                    strangers,
                                    0,
                                    strangers.length)) {
                                throw new IOException(
                                        key
                                                + ": at "
                                                + GeneratedAddresses.STRANGERS
                                                + " are the strangers that the list is asked for;"
                                                + " leave it out");
                            }
                            addresses.add(key);
                        });
        return addresses;
    }

    /** Puts a key in a random place, and the one that was there at the end. */
    private void add(Key key) {
        int place = random.nextInt(count + 1);
        hashes[count] = hashes[place];
        hashes[place] = hasher.hash(key);
        if (count < keys.length) {
            keys[count] = keys[place];
        }
        if (place < keys.length) {
            keys[place] = key;
        }
        if (texts != null) {
            texts[count] = texts[place];
            texts[place] = text(key);
        }
        count++;
    }

    static String text(Key key) {
        return new String(key.bytes(), StandardCharsets.UTF_8);
    }

    /** Returns the number of addresses. */
    int count() {
        return count;
    }

    KeyHasher hasher() {
        return hasher;
    }

    long[] hashes() {
        return hashes;
    }

    /** Returns the keys of the first addresses, {@value #MOST_KEYS} at most. */
    Key[] keys() {
        return keys;
    }

    /** Returns the text of all addresses, or null if it was not wanted. */
    String @Nullable [] texts() {
        return texts;
    }
}
