package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.Key;

import java.util.SplittableRandom;

/**
 * A batch of addresses to look up, to add or to remove, as keys and as text. Each batch has new
 * Strings, because a String that was looked up before has its hash stored.
 */
final class AddressBatch {
    private final Key[] keys;
    private final String[] texts;

    AddressBatch(Key[] keys, String[] texts) {
        this.keys = keys;
        this.texts = texts;
    }

    private static AddressBatch of(Key[] keys, boolean asText) {
        String[] texts = new String[asText ? keys.length : 0];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = ListedAddresses.text(keys[i]);
        }
        return new AddressBatch(keys, texts);
    }

    /** Returns a random choice of the first n addresses. */
    static AddressBatch listed(
            ListedAddresses addresses, int n, int count, SplittableRandom random) {
        Key[] known = addresses.keys();
        Key[] keys = new Key[count];
        for (int i = 0; i < count; i++) {
            Key key = known[random.nextInt(Math.min(n, known.length))];
            // A copy is in the processor's cache, as the address of a new sender would be.
            keys[i] = Key.ofAddress(key.bytes().clone(), key.localLength());
        }
        return of(keys, addresses.texts() != null);
    }

    /** Returns {@code count} strangers from number {@code first} on. */
    static AddressBatch strangers(ListedAddresses addresses, long first, int count) {
        Key[] keys = new Key[count];
        for (int i = 0; i < count; i++) {
            keys[i] = GeneratedAddresses.stranger(first + i);
        }
        return of(keys, addresses.texts() != null);
    }

    /** Returns addresses that are neither listed nor looked up as strangers. */
    static AddressBatch newcomers(ListedAddresses addresses, long first, int count) {
        return strangers(addresses, GeneratedAddresses.FIRST_NEWCOMER + first, count);
    }

    Key[] keys() {
        return keys;
    }

    /** Returns the same addresses as text; empty if text is not wanted. */
    String[] texts() {
        return texts;
    }

    int count() {
        return keys.length;
    }
}
