package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.tools.SmallLists;

import java.util.List;
import java.util.stream.IntStream;

/** Makes addresses that have the same hash code, whether they are text or keys. */
public final class SameHashCode {
    private SameHashCode() {}

    /** Returns 2^bits keys. */
    public static List<Key> addresses(int bits) {
        List<Key> keys =
                IntStream.range(0, 1 << bits)
                        .mapToObj(i -> SmallLists.address(text(i, bits)).key())
                        .toList();
        if (keys.stream().mapToInt(Key::hashCode).distinct().count() != 1) {
            throw new AssertionError("other hash codes");
        }
        return keys;
    }

    private static String text(int number, int bits) {
        StringBuilder local = new StringBuilder();
        for (int bit = 0; bit < bits; bit++) {
            local.append((number >> bit & 1) == 0 ? "a~" : "b_");
        }
        return local + "@tenant.example";
    }
}
