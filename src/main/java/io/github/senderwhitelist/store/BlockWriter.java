package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockReader.*;
import static io.github.senderwhitelist.store.Ranks.IN_BYTE;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** The writer of the blocks of an exact store, their index, and its ranks. For one thread. */
public final class BlockWriter {
    private static final byte[] ONLY_NAME = {};

    private final OutputStream out;
    private final Ranks domains;
    private final Ranks forms;
    private final ByteArrayOutputStream index = new ByteArrayOutputStream();
    private final byte[] block = new byte[SIZE];
    private int end;
    private long blocks;

    /** The separator of the block. */
    private byte[] separator = {};

    /** The entry that is being put together. */
    private final byte[] entry = new byte[2 * (SortKey.MAX_LENGTH + RulesCodec.MAX_BYTES)];

    private int at;

    /** The sort key of the entry before. */
    private byte[] before = {};

    /** The local part of the last sender in the block. */
    private byte[] sender = {};

    /** The local part of the last recipients in the block. */
    private byte[] recipients = {};

    /** Creates a writer of blocks to {@code out}, of entries that were counted. */
    public BlockWriter(OutputStream out, RankCounts counts) {
        this(out, counts.domains(), counts.forms());
    }

    /** Creates a writer that writes these domains and forms as ranks. */
    BlockWriter(OutputStream out, Ranks domains, Ranks forms) {
        this.out = out;
        this.domains = domains;
        this.forms = forms;
    }

    /**
     * Appends an entry. Entries come in the order of their keys, each once, of each sender first
     * the one for all recipients.
     *
     * @param key its sort key, which nobody changes any more
     * @param encoded its rules, encoded by {@link RulesCodec}
     */
    public void append(byte[] key, byte[] encoded) throws IOException {
        if (blocks + end > 0 && Arrays.compareUnsigned(before, key) >= 0) {
            throw new IllegalStateException("keys out of order");
        }
        put(key, encoded);
        if (end + at > END_AT) {
            finishBlock();
            put(key, encoded);
        }
        if (end == 0 && blocks > 0) {
            separator = Arrays.copyOf(key, Arrays.mismatch(before, key) + 1);
        }
        System.arraycopy(entry, 0, block, end, at);
        end += at;
        before = key;
        sender = localPart(key, 0);
        int senderEnd = SortKey.senderEnd(key, 0, key.length);
        if (senderEnd < key.length) {
            recipients = localPart(key, SortKey.recipientsStart(senderEnd));
        }
    }

    private static byte[] localPart(byte[] key, int from) {
        return Arrays.copyOfRange(key, from, from + SortKey.localLength(key, from));
    }

    /** Puts an entry together. */
    private void put(byte[] key, byte[] encoded) {
        at = 0;
        int senderEnd = SortKey.senderEnd(key, 0, key.length);
        if (senderEnd == key.length) {
            put(RankCounts.form(0, encoded), key, 0, senderEnd, sender);
            return;
        }
        if (end == 0) {
            put(ONLY_NAME, key, 0, senderEnd, sender);
        }
        int from = SortKey.recipientsStart(senderEnd);
        put(RankCounts.form(key[from - 1], encoded), key, from, key.length, recipients);
    }

    private void put(byte[] form, byte[] key, int from, int to, byte[] last) {
        int local = SortKey.localLength(key, from);
        int domain = from + local + 1;
        int mismatch = Arrays.mismatch(last, 0, last.length, key, from, from + local);
        int shared = mismatch < 0 ? local : mismatch;
        int follow = local - shared;
        putByte(Math.min(shared, IN_BYTE) << 4 | Math.min(follow, IN_BYTE));
        int rank = domains.rank(key, domain, to);
        putCodes(form, rank);
        if (rank < 0) {
            putByte(to - domain);
            putBytes(key, domain, to - domain);
        }
        if (shared >= IN_BYTE) {
            putByte(shared);
        }
        if (follow >= IN_BYTE) {
            putByte(follow);
        }
        putBytes(key, from + shared, follow);
    }

    private void putCodes(byte[] form, int rank) {
        int ofForm = form.length > Ranks.MAX_LENGTH ? -1 : forms.rank(form, 0, form.length);
        if (ofForm == 1 && rank >= 0 && rank < RANKS_FOR_SOME) {
            putRank(FOR_SOME, rank);
            return;
        }
        if (form.length == 0) {
            putByte(NAMED);
        } else if (ofForm < 0) {
            putByte(FORMED);
            putByte(SPELLED_FORM);
            putByte(form.length);
            putByte(form.length >>> Byte.SIZE);
            putBytes(form, 0, form.length);
        } else if (ofForm > 0) {
            putByte(FORMED);
            putInTwo(0, SHORT_FORMS, ofForm);
        }
        putRank(0, rank);
    }

    private void putRank(int first, int rank) {
        if (rank < 0) {
            putByte(SPELLED);
        } else if (rank < MIDDLE_RANKS) {
            putInTwo(first, TWO_BYTES, rank);
        } else {
            putByte(THREE_BYTES + ((rank - MIDDLE_RANKS) >>> Short.SIZE));
            putByte(rank - MIDDLE_RANKS);
            putByte((rank - MIDDLE_RANKS) >>> Byte.SIZE);
        }
    }

    /** Puts a number in one byte if it is less than {@code limit}, else in two. */
    private void putInTwo(int first, int limit, int number) {
        if (number < limit) {
            putByte(first + number);
        } else {
            putByte(first + limit + ((number - limit) >>> Byte.SIZE));
            putByte(number - limit);
        }
    }

    private void putByte(int value) {
        entry[at++] = (byte) value;
    }

    private void putBytes(byte[] bytes, int from, int length) {
        System.arraycopy(bytes, from, entry, at, length);
        at += length;
    }

    private void finishBlock() throws IOException {
        Arrays.fill(block, end, END_AT, (byte) 0);
        block[END_AT] = (byte) end;
        block[END_AT + 1] = (byte) (end >>> Byte.SIZE);
        BlockIndex.append(index, block, separator);
        out.write(block);
        blocks++;
        end = 0;
        sender = new byte[0];
        recipients = new byte[0];
    }

    /** Writes the last block. */
    public void finish() throws IOException {
        if (end > 0) {
            finishBlock();
        }
    }

    /** Returns the serial form of the index of blocks, after {@link #finish}. */
    public byte[] index() {
        return index.toByteArray();
    }

    /** Returns the serial form of the ranks of domains, and then of forms. */
    public byte[] ranks() {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        domains.write(both);
        forms.write(both);
        return both.toByteArray();
    }
}
