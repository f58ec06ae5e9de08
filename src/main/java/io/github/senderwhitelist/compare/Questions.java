package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.Key;

import java.util.SplittableRandom;

/**
 * Addresses to ask for, as keys and as text. The text is new each time: a String that was asked for
 * before remembers its hash.
 */
final class Questions {
    private final Key[] keys;
    private final String[] texts;

    Questions(Key[] keys, String[] texts) {
        this.keys = keys;
        this.texts = texts;
    }

    private static Questions of(Key[] keys, boolean asText) {
        String[] texts = new String[asText ? keys.length : 0];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = ListedAddresses.text(keys[i]);
        }
        return new Questions(keys, texts);
    }

    /** Some of the first n addresses, in any order. */
    static Questions listed(ListedAddresses addresses, int n, int count, SplittableRandom random) {
        Key[] known = addresses.keys();
        Key[] keys = new Key[count];
        for (int i = 0; i < count; i++) {
            Key key = known[random.nextInt(Math.min(n, known.length))];
            // A copy lies in memory beside the last one, as that of a sender who just came does.
            keys[i] = Key.ofAddress(key.bytes().clone(), key.localLength());
        }
        return of(keys, addresses.texts() != null);
    }

    /** Strangers from that number on. */
    static Questions strangers(ListedAddresses addresses, long first, int count) {
        Key[] keys = new Key[count];
        for (int i = 0; i < count; i++) {
            keys[i] = GeneratedAddresses.stranger(first + i);
        }
        return of(keys, addresses.texts() != null);
    }

    /** Addresses that are neither listed nor asked for as strangers. */
    static Questions newcomers(ListedAddresses addresses, long first, int count) {
        return strangers(addresses, GeneratedAddresses.FIRST_NEWCOMER + first, count);
    }

    Key[] keys() {
        return keys;
    }

    /** As many, unless nobody wants text. */
    String[] texts() {
        return texts;
    }

    int count() {
        return keys.length;
    }
}
