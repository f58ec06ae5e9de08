package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.ShortBytes;
import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;

/**
 * The encoding of sorted runs, in memory and on disk, with front coding of the keys. An entry is
 * written as a head, the bytes of its key that follow those shared with the key before, and its
 * rules. The last domain of the key is not among the bytes that follow if it has a number in the
 * {@link DomainTable} of the runs. Only the first domains that come keep one, but these are most of
 * those that come often.
 *
 * <p>The head of most entries begins with one byte:
 *
 * <pre>
 * bits 5 to 7   number of bytes shared; 7: it is in a varint after this byte
 * bits 0 to 4   number of bytes that follow
 * ff            bytes shared, bytes that follow and length of the rules are varints after this byte
 * </pre>
 *
 * <p>Without {@code ff}, the entry has no rules but to list. The head ends with a varint: the
 * number of the domain and 1, or 0 if its bytes are among those that follow.
 */
final class RunCode {
    /** The most bytes that an entry takes. */
    static final int MAX_ENTRY = SortKey.MAX_LENGTH + RulesCodec.MAX_IN_RUN + 10;

    private static final int FOLLOW_BITS = 5;
    private static final int FOLLOW_MASK = (1 << FOLLOW_BITS) - 1;
    private static final int SHARED_APART = 7;
    private static final int ALL_APART = 0xff;

    /** The most domains that are numbered; a varint of three bytes holds any such number. */
    static final int MOST_DOMAINS = 1 << 16;

    private RunCode() {}

    /** Writes entries into arrays, one after the other. */
    static final class Encoder {
        private final DomainTable domains;

        /** Creates an encoder of entries whose domains may have numbers in a table. */
        Encoder(DomainTable domains) {
            this.domains = domains;
        }

        /**
         * Writes an entry of {@link DistinctEntries} to {@code position}, where {@link #MAX_ENTRY}
         * bytes must be free, and returns the position after it.
         */
        int put(SortedEntry entry, byte[] buffer, int position) {
            byte[] rules = entry.rules;
            int number = domains.ofId(entry.domain);
            int end = number < 0 ? entry.keyLength : entry.keyLength - domains.length(number);
            int shared = Math.min(entry.shared, end);
            int at = putHead(buffer, position, shared, end - shared, rules.length);
            at = putVarint(buffer, at, number + 1);
            ShortBytes.copy(entry.key, shared, buffer, at, end - shared);
            at += end - shared;
            if (rules.length > 0) {
                System.arraycopy(rules, 0, buffer, at, rules.length);
                at += rules.length;
            }
            return at;
        }

        private static int putHead(byte[] buffer, int position, int shared, int follow, int rules) {
            if (rules > 0 || follow >= FOLLOW_MASK) {
                buffer[position] = (byte) ALL_APART;
                int at = putVarint(buffer, position + 1, shared);
                at = putVarint(buffer, at, follow);
                return putVarint(buffer, at, rules);
            }
            int inHead = Math.min(shared, SHARED_APART);
            buffer[position] = (byte) (inHead << FOLLOW_BITS | follow);
            return inHead < SHARED_APART ? position + 1 : putVarint(buffer, position + 1, shared);
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
        private final DomainTable domains;
        private final SortedEntry entry = new SortedEntry();

        Decoder(DomainTable domains, byte[] bytes, int at, int limit) {
            this.domains = domains;
            this.bytes = bytes;
            this.at = at;
            this.limit = limit;
        }

        /** Provides more bytes; called when those left may be less than a whole entry. */
        void refill() throws IOException {}

        @Override
        public @Nullable SortedEntry next() throws IOException {
            if (limit - at < MAX_ENTRY) {
                refill();
                if (at == limit) {
                    return null;
                }
            }
            int head = bytes[at++] & 0xff;
            int shared = head >>> FOLLOW_BITS;
            int follow = head & FOLLOW_MASK;
            int rules = 0;
            if (shared == SHARED_APART) {
                shared = varint();
                if (head == ALL_APART) {
                    follow = varint();
                    rules = varint();
                }
            }
            int number = varint() - 1;
            ShortBytes.copy(bytes, at, entry.key, shared, follow);
            at += follow;
            int end = shared + follow;
            if (number >= 0) {
                int length = domains.length(number);
                ShortBytes.copy(domains.text(), domains.start(number), entry.key, end, length);
                end += length;
            }
            entry.keyLength = end;
            entry.domain = number < 0 ? -1 : domains.id(number);
            entry.rules = rules == 0 ? RulesCodec.PLAIN : Arrays.copyOfRange(bytes, at, at + rules);
            at += rules;
            return entry;
        }

        private int varint() {
            int value = bytes[at++];
            if (value < 0) {
                value = (value & 0x7f) | bytes[at++] << 7;
                if (value < 0) {
                    value = (value & 0x3fff) | (bytes[at++] & 0xff) << 14;
                }
            }
            return value;
        }
    }
}
