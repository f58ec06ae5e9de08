package io.github.senderwhitelist.store;

import java.util.Arrays;

/**
 * Encoded rules, compared by their bytes.
 *
 * @param bytes the encoding
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
record EncodedRules(byte[] bytes) implements Comparable<EncodedRules> {
    @Override
    public boolean equals(Object other) {
        return other instanceof EncodedRules(byte[] others) && Arrays.equals(bytes, others);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public int compareTo(EncodedRules other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }
}
