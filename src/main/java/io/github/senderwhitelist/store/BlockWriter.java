package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockReader.*;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** The writer of the blocks of an exact store, their index, and its ranks. For one thread. */
public final class BlockWriter {
    private static final int MAX_ENTRY = 2 * (6 + SortKey.MAX_LENGTH + RulesCodec.MAX_BYTES);

    private final OutputStream out;
    private final Ranks domains;
    private final Ranks rules;
    private final BlockIndex.Writer index = new BlockIndex.Writer();
    private final byte[] block = new byte[SIZE];
    private int end;
    private long blocks;

    /** The entry that is being put together. */
    private final byte[] entry = new byte[MAX_ENTRY];

    private int at;

    /** The sort key of the entry before. */
    private final byte[] before = new byte[SortKey.MAX_LENGTH];

    private int beforeLength;

    /** The local part of the sender before in this block. */
    private final LocalPart sender = new LocalPart();

    /** The local part of the recipients before in this block. */
    private final LocalPart recipients = new LocalPart();

    private static final class LocalPart {
        final byte[] bytes = new byte[SortKey.MAX_LENGTH];
        int length;

        int shared(byte[] key, int from, int to) {
            int mismatch = Arrays.mismatch(bytes, 0, length, key, from, to);
            return mismatch < 0 ? length : mismatch;
        }

        void set(byte[] key, int from, int to) {
            length = to - from;
            System.arraycopy(key, from, bytes, 0, length);
        }
    }

    /** Creates a writer of blocks to {@code out}, of entries that were counted. */
    public BlockWriter(OutputStream out, RankCounts counts) {
        this(out, counts.domains(), counts.rules());
    }

    /** Creates a writer that writes these domains and rules as ranks. */
    BlockWriter(OutputStream out, Ranks domains, Ranks rules) {
        this.out = out;
        this.domains = domains;
        this.rules = rules;
    }

    /**
     * Appends the entry with the sort key {@code key[0, length)}. Entries come in the order of
     * their keys, each once, of each sender first the one for all recipients.
     *
     * @param encoded its rules, encoded by {@link RulesCodec}
     */
    public void append(byte[] key, int length, byte[] encoded) throws IOException {
        int same = Arrays.mismatch(before, 0, beforeLength, key, 0, length);
        if (blocks + end > 0
                && (same < 0
                        || same == length
                        || (same < beforeLength
                                && Byte.compareUnsigned(before[same], key[same]) > 0))) {
            throw new IllegalStateException("keys out of order");
        }
        put(key, length, encoded);
        if (end + at > END_AT) {
            finishBlock();
            put(key, length, encoded);
        }
        if (end == 0) {
            index.separator(
                    blocks == 0
                            ? new byte[0]
                            : SortKey.separator(before, beforeLength, key, length));
        }
        System.arraycopy(entry, 0, block, end, at);
        end += at;
        keep(key, length);
    }

    /** Keeps what the next entry is compared with. */
    private void keep(byte[] key, int length) {
        int local = SortKey.localLength(key, 0);
        sender.set(key, 0, local);
        int senderEnd = SortKey.senderEnd(key, 0, length);
        if (senderEnd < length) {
            int from = SortKey.recipientsStart(senderEnd);
            recipients.set(key, from, from + SortKey.localLength(key, from));
        }
        System.arraycopy(key, 0, before, 0, length);
        beforeLength = length;
    }

    /** Puts an entry together. */
    private void put(byte[] key, int length, byte[] encoded) {
        at = 0;
        int senderEnd = SortKey.senderEnd(key, 0, length);
        if (senderEnd == length) {
            put(0, key, 0, senderEnd, sender, encoded);
            return;
        }
        if (end == 0) {
            putKey(NAMED, 0, key, 0, senderEnd, sender);
        }
        put(
                SortKey.kind(key, senderEnd).code(),
                key,
                SortKey.recipientsStart(senderEnd),
                length,
                recipients,
                encoded);
    }

    private void put(int kind, byte[] key, int from, int to, LocalPart last, byte[] encoded) {
        int rank = encoded.length > Ranks.MAX_LENGTH ? -1 : rules.rank(encoded, 0, encoded.length);
        putKey(kind == 0 && rank == 0 ? 0 : MARKED, rank << 2 | kind, key, from, to, last);
        if (rank < 0) {
            putShort(encoded.length);
            System.arraycopy(encoded, 0, entry, at, encoded.length);
            at += encoded.length;
        }
    }

    private void putKey(int mark, int marks, byte[] key, int from, int to, LocalPart last) {
        int local = SortKey.localLength(key, from);
        int domain = from + local + 1;
        int rank = domains.rank(key, domain, to);
        int shared = last.shared(key, from, from + local);
        int follow = local - shared;
        putByte(Math.min(shared, IN_BYTE) << 4 | Math.min(follow, IN_BYTE));
        boolean isShort = rank >= 0 && rank < RECIPIENT_RANKS;
        if (mark == MARKED && marks == RecipientKind.ADDRESS.code() && isShort) {
            putByte(Math.min(SHORT_RANKS + rank, RECIPIENT));
            if (rank >= SHORT_RANKS) {
                putByte(rank - SHORT_RANKS);
            }
        } else {
            putMarks(mark, marks);
            putRank(rank);
        }
        if (shared >= IN_BYTE) {
            putByte(shared);
        }
        if (follow >= IN_BYTE) {
            putByte(follow);
        }
        System.arraycopy(key, from + shared, entry, at, follow);
        at += follow;
        if (rank < 0) {
            putByte(to - domain);
            System.arraycopy(key, domain, entry, at, to - domain);
            at += to - domain;
        }
    }

    private void putMarks(int mark, int marks) {
        if (mark == 0) {
            return;
        }
        putByte(mark);
        if (mark == MARKED) {
            int rank = marks >> 2;
            int inMarks = rank < 0 ? SPELLED_RULES : Math.min(rank, MORE_RULES);
            putByte(inMarks << 2 | (marks & 3));
            if (inMarks == MORE_RULES) {
                putByte(rank - MORE_RULES);
            }
        }
    }

    private void putRank(int rank) {
        if (rank < 0) {
            putByte(SPELLED);
        } else if (rank < SHORT_RANKS) {
            putByte(rank);
        } else if (rank < MIDDLE_RANKS) {
            putByte(TWO_BYTES + ((rank - SHORT_RANKS) >>> Byte.SIZE));
            putByte(rank - SHORT_RANKS);
        } else {
            putByte(THREE_BYTES + ((rank - MIDDLE_RANKS) >>> Short.SIZE));
            putShort(rank - MIDDLE_RANKS);
        }
    }

    private void putByte(int value) {
        entry[at++] = (byte) value;
    }

    private void putShort(int value) {
        putByte(value);
        putByte(value >>> Byte.SIZE);
    }

    private void finishBlock() throws IOException {
        Arrays.fill(block, end, END_AT, (byte) 0);
        block[END_AT] = (byte) end;
        block[END_AT + 1] = (byte) (end >>> Byte.SIZE);
        index.append(block);
        out.write(block);
        blocks++;
        end = 0;
        sender.length = 0;
        recipients.length = 0;
    }

    /** Writes the last block. */
    public void finish() throws IOException {
        if (end > 0) {
            finishBlock();
        }
    }

    /** Returns the number of blocks written. */
    public long blocks() {
        return blocks;
    }

    /** Returns the serial form of the index of blocks, after {@link #finish}. */
    public byte[] index() {
        return index.serial();
    }

    /** Returns the serial form of the ranks of domains, and then of rules. */
    public byte[] ranks() {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        domains.write(both);
        rules.write(both);
        return both.toByteArray();
    }
}
