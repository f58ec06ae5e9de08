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
 * The addresses that are compared on, in random order: the hashes of all, of the first ones the
 * keys, and as text when that is wanted. So the first so many are a list, too.
 */
public final class ListedAddresses {
    /** The most: what an array holds. */
    public static final long MOST = Integer.MAX_VALUE - 8;

    /** Of so many the keys are kept. */
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
     * Generated ones, always the same.
     *
     * @param n how many, from 1 to {@link #MOST}
     * @param seed of their hashes and their order
     * @param texts whether they are wanted as text, too
     */
    public static ListedAddresses generated(long n, long seed, boolean texts) {
        ListedAddresses addresses = new ListedAddresses(n, seed, texts);
        for (long i = 0; i < n; i++) {
            addresses.add(GeneratedAddresses.address(i));
        }
        return addresses;
    }

    /**
     * Those of a snapshot, denied ones included, without domain entries.
     *
     * @throws IOException when it cannot be read, or has addresses that the strangers have
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
                            if (key.isDomain()) {
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

    /** Puts it in a random place; what was there goes to the end. */
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

    /** How many. */
    public int count() {
        return count;
    }

    KeyHasher hasher() {
        return hasher;
    }

    long[] hashes() {
        return hashes;
    }

    /** The first keys, {@value #MOST_KEYS} at most. */
    Key[] keys() {
        return keys;
    }

    /** Null when not wanted. */
    String @Nullable [] texts() {
        return texts;
    }
}
