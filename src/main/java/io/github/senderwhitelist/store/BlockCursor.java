package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.Key;

import java.util.Arrays;

/**
 * Goes through the entries of one checked block. The fields describe the entry that the last {@link
 * #next} came to.
 *
 * <p>A block whose checksum is right but whose content is not (made by hand) leads to an
 * IndexOutOfBoundsException.
 */
final class BlockCursor {
    private static final int NO_RANK = -1;

    final byte[] block;
    private final DomainDictionary dictionary;
    private int next;
    private int left;

    /** Bytes of the local part shared with the entry before. */
    int shared;

    /** Where the other bytes of the local part begin, and how many there are. */
    int followAt;

    int follow;
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

    /** Comes to the next entry; false after the last. */
    boolean next() {
        if (left == 0) {
            return false;
        }
        left--;
        int head = block[next++] & 0xff;
        attributes = 0;
        if (head >>> 4 == EXTENDED) {
            shared = varint();
            follow = varint();
            attributes = (head & HAS_ATTRIBUTES) != 0 ? varint() : 0;
        } else {
            shared = head >>> 4;
            follow = head & 15;
        }
        requireSense();
        followAt = next;
        next += follow;
        readDomain();
        attributesAt = next;
        next += attributes;
        return true;
    }

    /** Lengths that no entry has must not make anyone allocate. */
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

    /** Comes to the entry of that key; false when the block does not hold it. */
    boolean seek(Key key) {
        skipToRestart(key);
        byte[] wanted = key.bytes();
        int local = key.localLength();
        int wantedRank = dictionary.rank(wanted, key.domainStart(), wanted.length);
        // How many bytes of the entry before, which is less than the key, are the key's.
        int matched = 0;
        while (next()) {
            if (shared > matched) {
                continue;
            }
            if (shared < matched) {
                return false;
            }
            int mismatch =
                    Arrays.mismatch(block, followAt, followAt + follow, wanted, matched, local);
            if (mismatch >= 0) {
                boolean less =
                        mismatch == follow
                                || (mismatch < local - matched
                                        && unsigned(block[followAt + mismatch])
                                                < unsigned(wanted[matched + mismatch]));
                if (!less) {
                    return false;
                }
                matched += mismatch;
            } else {
                matched = local;
                if (isDomain(key, wantedRank)) {
                    return true;
                }
            }
        }
        return false;
    }

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

    /** Places the cursor before the last restart at or before the key. */
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

    private int compareRestart(Key key) {
        byte[] bytes = key.bytes();
        int local =
                Arrays.compareUnsigned(
                        block, followAt, followAt + follow, bytes, 0, key.localLength());
        if (local != 0) {
            return local;
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

    /** The domain of the entry. */
    byte[] domain() {
        return rank == NO_RANK
                ? Arrays.copyOfRange(block, literalAt, literalAt + literal)
                : dictionary.domain(rank);
    }

    private static int unsigned(byte b) {
        return b & 0xff;
    }
}
