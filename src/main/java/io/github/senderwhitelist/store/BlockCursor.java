package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Reads the entries of one block whose checksum was right. The fields describe the entry that
 * {@link #next} came to last.
 *
 * <p>A forged block, with a right checksum and wrong content, makes the methods throw an
 * IndexOutOfBoundsException.
 */
final class BlockCursor {
    private static final int NO_RANK = -1;

    /** The length of a coded domain, by its first byte; 0 for one that is spelled out. */
    private static final byte[] DOMAIN_LENGTHS = domainLengths();

    private static byte[] domainLengths() {
        byte[] lengths = new byte[256];
        Arrays.fill(lengths, 0, TWO_BYTES, (byte) 1);
        Arrays.fill(lengths, TWO_BYTES, THREE_BYTES, (byte) 2);
        Arrays.fill(lengths, THREE_BYTES, FIVE_BYTES, (byte) 3);
        lengths[FIVE_BYTES] = 5;
        return lengths;
    }

    final byte[] block;
    private final DomainDictionary dictionary;
    private int next;
    private int left;

    /** Whether entries in the short form are for some recipients of the sender. */
    private boolean inRecipients;

    /** The sender of the entry. */
    final CodedKey sender = new CodedKey();

    /** The recipients of the entry, if it is for some. */
    final CodedKey recipients = new CodedKey();

    /** Whether the entry is for some recipients only. */
    boolean forSome;

    /** Whether the sender was read with the entry, not with one before. */
    boolean hasSender;

    int attributesAt;
    int attributes;

    BlockCursor(byte[] block, DomainDictionary dictionary) {
        this.block = block;
        this.dictionary = dictionary;
        this.left = getShort(block, COUNT_AT);
    }

    /** Goes to the next entry; returns false after the last one. */
    boolean next() {
        if (left == 0) {
            return false;
        }
        left--;
        int head = block[next++] & 0xff;
        hasSender = head >>> 4 == EXTENDED && (head & SENDER_AGAIN) != 0;
        if (hasSender) {
            sender.readExtended((head & UNPACKED) == 0);
            sender.readKey();
            inRecipients = true;
            head = block[next++] & 0xff;
        }
        attributes = 0;
        if (head >>> 4 == EXTENDED) {
            forSome = (head & OF_SENDER) != 0;
            CodedKey key = forSome ? recipients : sender;
            key.readExtended((head & UNPACKED) == 0);
            attributes = (head & HAS_ATTRIBUTES) != 0 ? varint() : 0;
            requireSense(attributes);
            key.readKey();
        } else {
            forSome = inRecipients;
            (forSome ? recipients : sender).readShort(head);
        }
        attributesAt = next;
        next += attributes;
        if (!forSome) {
            hasSender = true;
            inRecipients = RulesCodec.hasKinds(block, attributesAt, attributes);
        }
        return true;
    }

    /** Rejects impossible lengths before anything is allocated. */
    private static void requireSense(int length) {
        if (length < 0 || length > RESTARTS_AT) {
            throw new IndexOutOfBoundsException("an entry's lengths");
        }
    }

    private int varint() {
        int value = 0;
        for (int shift = 0; ; shift += 7) {
            int b = block[next++];
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    /** A key in the block. */
    final class CodedKey {
        /** The bytes that the local part shares with the key before. */
        int shared;

        /** The other bytes of the local part. */
        int follow;

        private int followAt;
        private boolean packed;
        private int rank;
        private int literalAt;
        private int literal;

        /**
         * The bytes that the key sought shares with the key that was compared last, which is less.
         */
        private int matched;

        private void readShort(int head) {
            shared = head >>> 4;
            follow = head & 15;
            packed = true;
            readKey();
        }

        private void readExtended(boolean isPacked) {
            packed = isPacked;
            shared = varint();
            follow = varint();
            requireSense(shared);
            requireSense(follow);
        }

        private void readKey() {
            followAt = next;
            next += packed ? PackedText.length(follow) : follow;
            int code = block[next++] & 0xff;
            rank = code;
            if (code < TWO_BYTES) {
                return;
            }
            if (code < THREE_BYTES) {
                rank = TWO_BYTES_BASE + ((code - TWO_BYTES) << 8 | (block[next++] & 0xff));
            } else if (code < FIVE_BYTES) {
                rank =
                        THREE_BYTES_BASE
                                + ((code - THREE_BYTES) << 16
                                        | (block[next] & 0xff) << 8
                                        | (block[next + 1] & 0xff));
                next += 2;
            } else if (code == FIVE_BYTES) {
                rank = getInt(block, next);
                next += 4;
            } else {
                rank = NO_RANK;
                literal = block[next++] & 0xff;
                literalAt = next;
                next += literal;
            }
        }

        /**
         * Returns how many of the bytes that follow are equal to those of {@code wanted[from, to)}.
         */
        private int equalBytes(byte[] wanted, int from, int to) {
            int most = Math.min(follow, to - from);
            int equal = 0;
            while (equal < most && followByte(equal) == wanted[from + equal]) {
                equal++;
            }
            return equal;
        }

        /**
         * Returns whether the bytes that follow are less than {@code wanted[from, to)}, given how
         * many of them are equal.
         */
        private boolean isLess(int equal, byte[] wanted, int from, int to) {
            return equal == follow
                    || (equal < to - from
                            && unsigned(followByte(equal)) < unsigned(wanted[from + equal]));
        }

        private byte followByte(int i) {
            return packed ? PackedText.get(block, followAt, i) : block[followAt + i];
        }

        /** Returns the local part, given that of the key before. */
        byte[] local(byte[] before) {
            byte[] local = Arrays.copyOf(before, shared + follow);
            for (int i = 0; i < follow; i++) {
                local[shared + i] = followByte(i);
            }
            return local;
        }

        /** Returns the domain. */
        byte[] domain() {
            return rank == NO_RANK
                    ? Arrays.copyOfRange(block, literalAt, literalAt + literal)
                    : dictionary.domain(rank);
        }

        /** Returns whether this has the domain of the key, whose rank is given. */
        private boolean hasDomain(Key key, int wantedRank) {
            if (rank != NO_RANK) {
                return rank == wantedRank;
            }
            return Arrays.equals(
                    block,
                    literalAt,
                    literalAt + literal,
                    key.bytes(),
                    key.domainStart(),
                    key.bytes().length);
        }

        /** Returns whether the domain begins with a dot, as that of subdomains does. */
        private boolean isDotted() {
            return rank == NO_RANK ? block[literalAt] == '.' : dictionary.first(rank) == '.';
        }

        private RecipientKind kind() {
            if (shared + follow > 0) {
                return RecipientKind.ADDRESS;
            }
            return isDotted() ? RecipientKind.SUBDOMAINS : RecipientKind.DOMAIN;
        }

        /**
         * Compares the local part with that of a key, after all keys before it since {@link
         * #matched} was 0. They were less, or had the same local part.
         */
        private int compareLocal(Key key) {
            if (shared != matched) {
                return shared > matched ? -1 : 1;
            }
            byte[] wanted = key.bytes();
            int local = key.localLength();
            int equal = equalBytes(wanted, matched, local);
            if (equal == follow && equal == local - matched) {
                matched = local;
                return 0;
            }
            if (!isLess(equal, wanted, matched, local)) {
                return 1;
            }
            matched += equal;
            return -1;
        }

        /** Compares this key, which shares no bytes, with another one. */
        private int compare(Key key) {
            matched = 0;
            int order = compareLocal(key);
            if (order != 0) {
                return order;
            }
            byte[] bytes = key.bytes();
            return rank == NO_RANK
                    ? Arrays.compareUnsigned(
                            block,
                            literalAt,
                            literalAt + literal,
                            bytes,
                            key.domainStart(),
                            bytes.length)
                    : -dictionary.compare(bytes, key.domainStart(), bytes.length, rank);
        }
    }

    /**
     * Goes to the entry for a sender and some recipients, or all if {@code to} is null; returns
     * false if the block does not hold it.
     */
    boolean seek(Key key, @Nullable Key to) {
        skipToRestart(key, to);
        if (!seekSender(key)) {
            return false;
        }
        return to == null ? !forSome : (forSome || inRecipients) && seekRecipients(to);
    }

    /** Goes to the first entry of a sender after a restart. */
    private boolean seekSender(Key key) {
        byte[] wanted = key.bytes();
        int local = key.localLength();
        int wantedRank = dictionary.rank(wanted, key.domainStart(), wanted.length);
        sender.matched = 0;
        while (true) {
            skipLess(wanted, sender.matched, local);
            if (!next()) {
                return false;
            }
            int order = hasSender ? sender.compareLocal(key) : -1;
            if (order > 0) {
                return false;
            }
            if (order == 0 && sender.hasDomain(key, wantedRank)) {
                return true;
            }
        }
    }

    /** Goes to the entry for some recipients of the sender, from the current entry on. */
    private boolean seekRecipients(Key to) {
        int wantedRank = dictionary.rank(to.bytes(), to.domainStart(), to.bytes().length);
        RecipientKind kind = RecipientKind.of(to);
        recipients.matched = 0;
        boolean more = forSome || nextOfSender();
        for (; more; more = nextOfSender()) {
            int kinds = recipients.kind().compareTo(kind);
            int order = kinds == 0 ? recipients.compareLocal(to) : kinds;
            if (order > 0) {
                return false;
            }
            if (order == 0 && recipients.hasDomain(to, wantedRank)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Goes to the next entry; returns false if it is of another sender, or at a restart, which is
     * greater than the key sought.
     */
    private boolean nextOfSender() {
        return next() && !hasSender;
    }

    /**
     * Skips entries of the short form that are less than the key and leave {@code matched} as it
     * is. They are for some recipients of a sender before, or share more bytes than {@code matched}
     * with the sender before, or as many and go on with a smaller byte. Most entries that a search
     * passes are such ones.
     */
    private void skipLess(byte[] wanted, int matched, int local) {
        int first = matched < local ? unsigned(wanted[matched]) : 0;
        int at = next;
        int rest = left;
        while (rest > 0) {
            int head = block[at] & 0xff;
            int sharedHere = head >>> 4;
            if (sharedHere == EXTENDED) {
                break;
            }
            if (!inRecipients
                    && (sharedHere < matched
                            || (sharedHere == matched
                                    && PackedText.first(block, at + 1) >= first))) {
                break;
            }
            int codeAt = at + 1 + PackedText.length(head & 15);
            int length = DOMAIN_LENGTHS[block[codeAt] & 0xff];
            if (length == 0) {
                break;
            }
            at = codeAt + length;
            rest--;
        }
        next = at;
        left = rest;
    }

    /** Goes to the last restart that is not after the key, by binary search. */
    private void skipToRestart(Key key, @Nullable Key to) {
        int restarts = getShort(block, RESTARTS_AT);
        int entries = left;
        int low = 1;
        int high = Math.max(0, restarts - 1);
        while (low <= high) {
            int middle = (low + high) >>> 1;
            moveToRestart(middle, restarts, entries);
            next();
            if (compareRestart(key, to) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        moveToRestart(high, restarts, entries);
    }

    private void moveToRestart(int restart, int restarts, int entries) {
        next = getShort(block, RESTARTS_AT - 2 * (restarts - restart));
        left = entries - restart * RESTART_INTERVAL;
        inRecipients = false;
    }

    /** Compares the entry at a restart with a key. */
    private int compareRestart(Key key, @Nullable Key to) {
        int order = sender.compare(key);
        if (order != 0 || (to == null && !forSome)) {
            return order;
        }
        if (to == null || !forSome) {
            return to == null ? 1 : -1;
        }
        int kinds = recipients.kind().compareTo(RecipientKind.of(to));
        return kinds != 0 ? kinds : recipients.compare(to);
    }

    private static int unsigned(byte b) {
        return b & 0xff;
    }
}
