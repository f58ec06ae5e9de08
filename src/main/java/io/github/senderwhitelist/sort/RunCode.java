package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.util.Arrays;

/**
 * How sorted runs are written, in memory and on disk: an entry is the number of bytes shared with
 * the key before (varint), the number of bytes that follow (varint), the number of bytes of its
 * rules (varint), the bytes that follow, the rules.
 */
final class RunCode {
    /** No entry takes more bytes. */
    static final int MAX_ENTRY = SortKey.MAX_LENGTH + RulesCodec.MAX_BYTES + 8;

    private RunCode() {}

    /** Writes entries one after the other into arrays. */
    static final class Encoder {
        private final byte[] before = new byte[SortKey.MAX_LENGTH];
        private int beforeLength;

        /**
         * Puts the entry at {@code position}, where {@link #MAX_ENTRY} bytes are free, and returns
         * where it ends.
         */
        int put(SortedEntries entry, byte[] buffer, int position) {
            byte[] key = entry.key();
            int length = entry.keyLength();
            int mismatch = Arrays.mismatch(before, 0, beforeLength, key, 0, length);
            int shared = mismatch < 0 ? length : mismatch;
            int follow = length - shared;
            int at = putVarint(buffer, position, shared);
            at = putVarint(buffer, at, follow);
            byte[] rules = entry.rules();
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
     * Reads entries from {@code bytes[at, limit)}; a subclass may bring more or other bytes when it
     * runs low.
     */
    static class Decoder implements SortedEntries {
        byte[] bytes;
        int at;
        int limit;
        private final byte[] key = new byte[SortKey.MAX_LENGTH];
        private int length;
        private byte[] rules = RulesCodec.PLAIN;

        Decoder(byte[] bytes, int at, int limit) {
            this.bytes = bytes;
            this.at = at;
            this.limit = limit;
        }

        /** Called when less than a whole entry may be left. */
        void refill() throws IOException {}

        @Override
        public boolean next() throws IOException {
            if (limit - at < MAX_ENTRY) {
                refill();
                if (at == limit) {
                    return false;
                }
            }
            int shared = varint();
            int follow = varint();
            int said = varint();
            System.arraycopy(bytes, at, key, shared, follow);
            at += follow;
            rules = said == 0 ? RulesCodec.PLAIN : Arrays.copyOfRange(bytes, at, at + said);
            at += said;
            length = shared + follow;
            return true;
        }

        private int varint() {
            int value = bytes[at++];
            if (value < 0) {
                value = (value & 0x7f) | bytes[at++] << 7;
            }
            return value;
        }

        @Override
        public byte[] key() {
            return key;
        }

        @Override
        public int keyLength() {
            return length;
        }

        @Override
        public byte[] rules() {
            return rules;
        }
    }
}
