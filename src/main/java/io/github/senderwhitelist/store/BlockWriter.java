package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockReader.*;
import static io.github.senderwhitelist.store.Ranks.IN_BYTE;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The writer of an exact store: of its blocks, their index, and its ranks. All entries are counted
 * first, in bounded memory, since frequent domains and forms get the shortest codes. Then they are
 * appended. The form of an entry is what it has beside names: a byte for the kind of recipients, 0
 * for all, and its encoded rules. For one thread.
 */
public final class BlockWriter {
    /** Longer forms are not counted, which have a note that hardly two entries share. */
    private static final int MAX_COUNTED = 64;

    /** After so many entries, only one of so many is counted. */
    private static final long ALL_COUNTED = 1 << 24;

    private static final int SAMPLED = 16;

    private final OutputStream out;
    private long counted;
    Ranks domains = new Ranks();
    Ranks forms = new Ranks();
    private final ByteArrayOutputStream index = new ByteArrayOutputStream();

    /** The block, with room for one more entry than fit into it. */
    private final ByteBuffer block =
            ByteBuffer.allocate(SIZE + 2 * (SortKey.MAX_LENGTH + RulesCodec.MAX_BYTES))
                    .order(LITTLE_ENDIAN);

    /** Where the last entry of the block ends. */
    private int end;

    private long blocks;
    private byte[] separator = {};

    /** The sort key of the entry before. */
    private byte[] before = {};

    /** What begins with the last sender, and with the last recipients, in the block. */
    private byte[] sender = {};

    private byte[] recipients = {};

    public BlockWriter(OutputStream out) {
        this.out = out;
    }

    /** Counts an entry by its sort key and its rules, encoded by {@link RulesCodec}. */
    public void count(byte[] key, byte[] encoded) {
        if (counted++ >= ALL_COUNTED && counted % SAMPLED != 0) {
            return;
        }
        int senderEnd = SortKey.senderEnd(key, 0, key.length);
        int from = senderEnd == key.length ? 0 : SortKey.recipientsStart(senderEnd);
        domains = domains.bounded(2 * MAX_DOMAINS);
        domains.count(key, from + SortKey.localLength(key, from) + 1, key.length);
        byte[] form = form(from == 0 ? 0 : key[from - 1], encoded);
        if (form.length <= MAX_COUNTED) {
            forms = forms.bounded(8 * MAX_FORMS);
            forms.count(form, 0, form.length);
        }
    }

    static byte[] form(int kind, byte[] encoded) {
        return ByteBuffer.allocate(1 + encoded.length).put((byte) kind).put(encoded).array();
    }

    /**
     * Ranks what was counted. Domains whose codes are equally long are in the order of their bytes,
     * and so take less. The first forms are those of most senders, and of most recipients.
     */
    public void rank() {
        List<byte[]> ranked = new ArrayList<>(domains.frequent(MAX_DOMAINS));
        int from = 0;
        for (int limit : RANKS) {
            int to = Math.min(limit, ranked.size());
            ranked.subList(from, to).sort(Arrays::compareUnsigned);
            from = to;
        }
        domains = Ranks.of(ranked);
        List<byte[]> rankedForms = new ArrayList<>(forms.frequent(MAX_FORMS - 2));
        rankedForms.addFirst(first(rankedForms, 1));
        rankedForms.addFirst(first(rankedForms, 0));
        forms = Ranks.of(rankedForms);
    }

    /** Returns the first form for all recipients, or for some; a plain one if there is none. */
    private static byte[] first(List<byte[]> forms, int kind) {
        return forms.stream()
                .filter(form -> Math.min(form[0], 1) == kind)
                .findFirst()
                .orElse(form(kind, RulesCodec.PLAIN));
    }

    /**
     * Appends an entry. Entries come in the order of their keys, each once, of each sender first
     * the one for all recipients. Nobody changes the key any more.
     */
    public void append(byte[] key, byte[] encoded) throws IOException {
        if (blocks + end > 0 && Arrays.compareUnsigned(before, key) >= 0) {
            throw new IllegalStateException("keys out of order");
        }
        int senderEnd = SortKey.senderEnd(key, 0, key.length);
        put(key, senderEnd, encoded);
        if (block.position() > END_AT) {
            finishBlock();
            put(key, senderEnd, encoded);
        }
        if (end == 0 && blocks > 0) {
            separator = Arrays.copyOf(key, Arrays.mismatch(before, key) + 1);
        }
        end = block.position();
        before = key;
        sender = key;
        if (senderEnd < key.length) {
            recipients = Arrays.copyOfRange(key, SortKey.recipientsStart(senderEnd), key.length);
        }
    }

    /** Puts an entry behind the last one of the block. */
    private void put(byte[] key, int senderEnd, byte[] encoded) {
        block.position(end);
        if (senderEnd == key.length) {
            put(form(0, encoded), key, 0, senderEnd, sender);
            return;
        }
        if (end == 0) {
            put(ONLY_NAME, key, 0, senderEnd, sender);
        }
        byte[] form = form(key[senderEnd + 1], encoded);
        put(form, key, SortKey.recipientsStart(senderEnd), key.length, recipients);
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
        if (rank == Ranks.NONE) {
            putByte(to - domain);
            block.put(key, domain, to - domain);
        }
        if (shared >= IN_BYTE) {
            putByte(shared);
        }
        if (follow >= IN_BYTE) {
            putByte(follow);
        }
        block.put(key, from + shared, follow);
    }

    private void putCodes(byte[] form, int rank) {
        int ofForm = form.length > Ranks.MAX_LENGTH ? -1 : forms.rank(form, 0, form.length);
        boolean isForSome = ofForm == 1 && rank != Ranks.NONE && rank < RANKS_FOR_SOME;
        if (form.length == 0) {
            putByte(NAMED);
        } else if (ofForm < 0) {
            putByte(FORMED);
            putByte(SPELLED_FORM);
            block.putShort((short) form.length).put(form);
        } else if (ofForm > 0 && !isForSome) {
            putByte(FORMED);
            putInTwo(0, SHORT_FORMS, ofForm);
        }
        if (rank == Ranks.NONE) {
            putByte(SPELLED);
        } else if (rank < MIDDLE_RANKS) {
            putInTwo(isForSome ? FOR_SOME : 0, TWO_BYTES, rank);
        } else {
            putByte(THREE_BYTES + ((rank - MIDDLE_RANKS) >>> Short.SIZE));
            block.putShort((short) (rank - MIDDLE_RANKS));
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
        block.put((byte) value);
    }

    private void finishBlock() throws IOException {
        byte[] whole = Arrays.copyOf(Arrays.copyOf(block.array(), end), SIZE);
        ByteBuffer.wrap(whole).order(LITTLE_ENDIAN).putShort(END_AT, (short) end);
        BlockIndex.append(index, whole, separator);
        out.write(whole);
        blocks++;
        end = 0;
        sender = new byte[0];
        recipients = new byte[0];
    }

    /** Writes the last block, and returns the serial form of the index of blocks. */
    public byte[] finish() throws IOException {
        if (end > 0) {
            finishBlock();
        }
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
