package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.Key;

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

    /** The bytes that the local part shares with the entry before. */
    int shared;

    /** The other bytes of the local part. */
    int follow;

    private int followAt;
    private boolean packed;
    int attributesAt;
    int attributes;
    private int rank;
    private int literalAt;
    private int literal;

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
        attributes = 0;
        packed = true;
        if (head >>> 4 == EXTENDED) {
            packed = (head & UNPACKED) == 0;
            shared = varint();
            follow = varint();
            attributes = (head & HAS_ATTRIBUTES) != 0 ? varint() : 0;
        } else {
            shared = head >>> 4;
            follow = head & 15;
        }
        requireSense();
        followAt = next;
        next += packed ? PackedText.length(follow) : follow;
        readDomain();
        attributesAt = next;
        next += attributes;
        return true;
    }

    /** Rejects impossible lengths before anything is allocated. */
    private void requireSense() {
        int most = RESTARTS_AT;
        boolean sense =
                shared >= 0
                        && shared <= most
                        && follow >= 0
                        && follow <= most
                        && attributes >= 0
                        && attributes <= most;
        if (!sense) {
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

    private void readDomain() {
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

    /** Goes to the entry of a key; returns false if the block does not hold it. */
    boolean seek(Key key) {
        skipToRestart(key);
        byte[] wanted = key.bytes();
        int local = key.localLength();
        int wantedRank = dictionary.rank(wanted, key.domainStart(), wanted.length);
        // The bytes that the key shares with the entry before, which is less than the key.
        int matched = 0;
        while (true) {
            skipLess(wanted, matched, local);
            if (!next()) {
                return false;
            }
            if (shared > matched) {
                continue;
            }
            if (shared < matched) {
                return false;
            }
            int equal = equalBytes(wanted, matched, local);
            if (equal < follow || equal < local - matched) {
                if (!isLess(equal, wanted, matched, local)) {
                    return false;
                }
                matched += equal;
            } else {
                matched = local;
                if (isDomain(key, wantedRank)) {
                    return true;
                }
            }
        }
    }

    /**
     * Skips entries of the short form that are less than the key and leave {@code matched} as it
     * is. They share more bytes than that with the entry before, or as many and go on with a
     * smaller byte. Most entries that a search passes are such ones.
     */
    private void skipLess(byte[] wanted, int matched, int local) {
        int first = matched < local ? unsigned(wanted[matched]) : 0;
        int at = next;
        int rest = left;
        while (rest > 0) {
            int head = block[at] & 0xff;
            int sharedHere = head >>> 4;
            if (sharedHere == EXTENDED || sharedHere < matched) {
                break;
            }
            if (sharedHere == matched && PackedText.first(block, at + 1) >= first) {
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

    /** Returns how many of the bytes that follow are equal to those of {@code wanted[from, to)}. */
    private int equalBytes(byte[] wanted, int from, int to) {
        int most = Math.min(follow, to - from);
        int equal = 0;
        while (equal < most && followByte(equal) == wanted[from + equal]) {
            equal++;
        }
        return equal;
    }

    /**
     * Returns whether the bytes that follow are less than {@code wanted[from, to)}, given how many
     * of them are equal.
     */
    private boolean isLess(int equal, byte[] wanted, int from, int to) {
        return equal == follow
                || (equal < to - from
                        && unsigned(followByte(equal)) < unsigned(wanted[from + equal]));
    }

    private byte followByte(int i) {
        return packed ? PackedText.get(block, followAt, i) : block[followAt + i];
    }

    /** Writes the bytes that follow into the array, after the shared ones that are there. */
    void completeLocal(byte[] local) {
        for (int i = 0; i < follow; i++) {
            local[shared + i] = followByte(i);
        }
    }

    /** Returns whether the entry has the domain of the key. */
    private boolean isDomain(Key key, int wantedRank) {
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

    /** Goes to the last restart that is not after the key, by binary search. */
    private void skipToRestart(Key key) {
        int restarts = getShort(block, RESTARTS_AT);
        int entries = left;
        int low = 1;
        int high = Math.max(0, restarts - 1);
        while (low <= high) {
            int middle = (low + high) >>> 1;
            moveToRestart(middle, restarts, entries);
            next();
            if (compareRestart(key) <= 0) {
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
    }

    /** Compares the entry of a restart, which shares no bytes, with a key. */
    private int compareRestart(Key key) {
        byte[] bytes = key.bytes();
        int local = key.localLength();
        int equal = equalBytes(bytes, 0, local);
        if (equal < follow || equal < local) {
            return isLess(equal, bytes, 0, local) ? -1 : 1;
        }
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

    /** Returns the domain of the entry. */
    byte[] domain() {
        return rank == NO_RANK
                ? Arrays.copyOfRange(block, literalAt, literalAt + literal)
                : dictionary.domain(rank);
    }

    private static int unsigned(byte b) {
        return b & 0xff;
    }
}
