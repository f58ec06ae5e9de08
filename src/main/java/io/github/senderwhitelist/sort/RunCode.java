package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;

/**
 * The code of sorted runs, in memory and on disk. An entry is written as the number of bytes that
 * its key shares with the key before (varint), the number of other bytes of the key (varint), the
 * length of its rules (varint), the other bytes of the key, and the rules.
 */
final class RunCode {
    /** The most bytes that an entry takes. */
    static final int MAX_ENTRY = SortKey.MAX_LENGTH + RulesCodec.MAX_IN_RUN + 8;

    private RunCode() {}

    /** Writes entries into arrays, one after the other. */
    static final class Encoder {
        private final byte[] before = new byte[SortKey.MAX_LENGTH];
        private int beforeLength;

        /**
         * Writes an entry to {@code position}, where {@link #MAX_ENTRY} bytes must be free, and
         * returns the position after it.
         */
        int put(SortedEntry entry, byte[] buffer, int position) {
            byte[] key = entry.key;
            int length = entry.keyLength;
            int mismatch = Arrays.mismatch(before, 0, beforeLength, key, 0, length);
            int shared = mismatch < 0 ? length : mismatch;
            int follow = length - shared;
            int at = putVarint(buffer, position, shared);
            at = putVarint(buffer, at, follow);
            byte[] rules = entry.rules;
            at = putVarint(buffer, at, rules.length);
            System.arraycopy(key, shared, buffer, at, follow);
            at += follow;
            System.arraycopy(rules, 0, buffer, at, rules.length);
            System.arraycopy(key, shared, before, shared, follow);
            beforeLength = length;
            return at + rules.length;
        }

        private static int putVarint(byte[] buffer, int position, int value) {
            int at = position;
            int rest = value;
            while (rest >= 0x80) {
                buffer[at++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            buffer[at++] = (byte) rest;
            return at;
        }
    }

    /**
     * Reads entries from {@code bytes[at, limit)}. A subclass can provide more bytes, or other
     * ones, in {@link #refill}.
     */
    static class Decoder implements SortedEntries {
        byte[] bytes;
        int at;
        int limit;
        private final SortedEntry entry = new SortedEntry();

        Decoder(byte[] bytes, int at, int limit) {
            this.bytes = bytes;
            this.at = at;
            this.limit = limit;
        }

        /** Is called when the bytes left may be less than a whole entry. */
        void refill() throws IOException {}

        @Override
        public @Nullable SortedEntry next() throws IOException {
            if (limit - at < MAX_ENTRY) {
                refill();
                if (at == limit) {
                    return null;
                }
            }
            int shared = varint();
            int follow = varint();
            int rules = varint();
            System.arraycopy(bytes, at, entry.key, shared, follow);
            at += follow;
            entry.keyLength = shared + follow;
            entry.rules = rules == 0 ? RulesCodec.PLAIN : Arrays.copyOfRange(bytes, at, at + rules);
            at += rules;
            return entry;
        }

        private int varint() {
            int value = bytes[at++];
            if (value < 0) {
                value = (value & 0x7f) | bytes[at++] << 7;
            }
            return value;
        }
    }
}
