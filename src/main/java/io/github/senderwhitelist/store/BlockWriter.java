package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.ShortBytes;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.coding.BitWriter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A writer of rows of blocks. A row is kept until it is moved to the {@link BlockOutput}. Its
 * blocks have no checksums, since these depend on the numbers of blocks.
 */
final class BlockWriter {
    /** The number of entries in a group from which on a new sender begins another one. */
    static final int GROUP = 10;

    /** The most entries of a group. */
    static final int MOST_GROUP = 2 * GROUP;

    /** The first entry of a group, and where the bits of the others begin. */
    private record Group(Draft first, int othersFrom) {}

    private static final int FIRST_ROOM = 16;

    private final Head heads;

    /** Finished blocks, one after the other. */
    private byte[] blocks = new byte[FIRST_ROOM * SIZE];

    /** Their separators in the {@link BlockIndex}. */
    private final List<byte[]> separators = new ArrayList<>();

    private final List<Group> groups = new ArrayList<>();
    private final BitWriter others = new BitWriter(2 * SIZE);
    private final EntryCoder othersCoder;

    /** The bits of the first entries of all groups, given the prefix. */
    private int firstBits;

    private final BitWriter whole = new BitWriter(2 * SIZE);
    private final EntryCoder wholeCoder;

    /** The length of the common prefix of all sort keys of the block. */
    private int prefix;

    private int inGroup;
    private final byte[] previous = new byte[SortKey.MAX_LENGTH];
    private int previousLength;

    BlockWriter(EntryCodes codes) {
        this.heads = new Head(codes);
        this.othersCoder = new EntryCoder(new FieldBits(codes, others));
        this.wholeCoder = new EntryCoder(new FieldBits(codes, whole));
    }

    /**
     * Begins a row of blocks.
     *
     * @param before the key of the entry before; empty if there is none
     */
    void begin(byte[] before) {
        System.arraycopy(before, 0, previous, 0, before.length);
        previousLength = before.length;
    }

    /** Appends the next entry in the order of keys. */
    void append(Draft entry) {
        if (!groups.isEmpty() && !put(entry)) {
            finishBlock();
        }
        if (groups.isEmpty()) {
            startBlock(entry);
        }
        ShortBytes.copy(entry.key, 0, previous, 0, entry.length);
        previousLength = entry.length;
    }

    private void startBlock(Draft entry) {
        separators.add(
                previousLength == 0
                        ? new byte[0]
                        : SortKey.separator(previous, previousLength, entry.key, entry.length));
        prefix = Math.min(entry.length, MOST_PREFIX);
        startGroup(entry);
    }

    /**
     * Returns whether an entry begins a new group after {@code inGroup} entries in the group
     * before.
     */
    static boolean startsGroup(int inGroup, Draft entry) {
        return inGroup >= MOST_GROUP || (inGroup >= GROUP && !entry.forSome());
    }

    private void startGroup(Draft entry) {
        Draft first = entry.copy();
        groups.add(new Group(first, others.position()));
        firstBits += bits(first);
        othersCoder.after(entry, true);
        inGroup = 1;
    }

    /** Puts an entry into the block; returns false, and puts nothing, if there is no room. */
    private boolean put(Draft entry) {
        int prefixBefore = prefix;
        int firstBitsBefore = firstBits;
        int groupsBefore = groups.size();
        int mark = others.position();
        shortenPrefix(entry);
        if (startsGroup(inGroup, entry)) {
            startGroup(entry);
        } else {
            othersCoder.follow(entry);
            othersCoder.after(entry, false);
            inGroup++;
        }
        if (fits()) {
            return true;
        }
        groups.subList(groupsBefore, groups.size()).clear();
        others.truncate(mark);
        prefix = prefixBefore;
        firstBits = firstBitsBefore;
        return false;
    }

    private void shortenPrefix(Draft entry) {
        Draft first = groups.getFirst().first;
        int mismatch = Arrays.mismatch(first.key, 0, prefix, entry.key, 0, entry.length);
        if (mismatch >= 0 && mismatch < prefix) {
            prefix = mismatch;
            firstBits = groups.stream().mapToInt(group -> bits(group.first)).sum();
        }
    }

    private boolean fits() {
        int bits = (1 + prefix) * Byte.SIZE + firstBits + others.position();
        return bits <= (END_AT - GROUP_BYTES * groups.size()) * Byte.SIZE;
    }

    /** Returns the bits that the first entry of a group takes. */
    private int bits(Draft first) {
        whole.truncate(0);
        wholeCoder.restart(first, prefix);
        return whole.position();
    }

    private void finishBlock() {
        int from = (separators.size() - 1) * SIZE;
        if (from == blocks.length) {
            blocks = Arrays.copyOf(blocks, from + from / (2 * SIZE) * SIZE);
        }
        whole.truncate(0);
        Draft first = groups.getFirst().first;
        whole.put(prefix, Byte.SIZE);
        for (int i = 0; i < prefix; i++) {
            whole.put(first.key[i] & 0xff, Byte.SIZE);
        }
        for (int i = 0; i < groups.size(); i++) {
            Group group = groups.get(i);
            int head = heads.of(group.first.key, prefix, group.first.length);
            putGroup(
                    blocks,
                    from + END_AT - GROUP_BYTES * (groups.size() - i),
                    whole.position(),
                    head);
            wholeCoder.restart(group.first, prefix);
            int to = i + 1 < groups.size() ? groups.get(i + 1).othersFrom : others.position();
            whole.put(others, group.othersFrom, to);
        }
        byte[] bits = whole.bytes();
        System.arraycopy(bits, 0, blocks, from, bits.length);
        int end = from + END_AT - GROUP_BYTES * groups.size();
        Arrays.fill(blocks, from + bits.length, end, (byte) 0);
        putShort(blocks, from + END_AT, whole.position());
        putShort(blocks, from + GROUPS_AT, groups.size());
        groups.clear();
        others.truncate(0);
        firstBits = 0;
    }

    /** Finishes the last block of the row. */
    void finish() {
        if (!groups.isEmpty()) {
            finishBlock();
        }
    }

    /** Moves the finished blocks to an output. */
    void moveTo(BlockOutput output) throws IOException {
        for (int i = 0; i < separators.size(); i++) {
            output.write(blocks, i * SIZE, separators.get(i));
        }
        separators.clear();
    }
}
