package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.coding.BitWriter;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Writes entries as blocks and collects the index of the blocks. */
final class BlockWriter {
    /** From so many entries on, a new sender begins a new group. */
    static final int GROUP = 10;

    /** A group has no more entries than this. */
    static final int MOST_GROUP = 2 * GROUP;

    /** The first entry of a group, and where the bits of the others begin. */
    private record Group(Draft first, int othersFrom) {}

    private final OutputStream out;
    private final Head heads;
    private final long salt;
    private final BlockIndex.Writer index = new BlockIndex.Writer();
    private final CRC32C checksums = new CRC32C();
    private final byte[] block = new byte[SIZE];

    private final List<Group> groups = new ArrayList<>();
    private final BitWriter others = new BitWriter(2 * SIZE);
    private final EntryCoder othersCoder;

    /** The bits of the first entries of all groups, given the prefix. */
    private int firstBits;

    private final BitWriter whole = new BitWriter(2 * SIZE);
    private final EntryCoder wholeCoder;

    /** The length of what all sort keys of the block begin with. */
    private int prefix;

    private int inGroup;
    private final byte[] previous = new byte[SortKey.MAX_LENGTH];
    private int previousLength;
    private long blocks;

    BlockWriter(OutputStream out, EntryCodes codes, long salt) {
        this.out = out;
        this.heads = new Head(codes);
        this.salt = salt;
        this.othersCoder = new EntryCoder(new FieldBits(codes, others));
        this.wholeCoder = new EntryCoder(new FieldBits(codes, whole));
    }

    /** Appends the next entry in the order of keys. */
    void append(Draft entry) throws IOException {
        if (!groups.isEmpty() && !put(entry)) {
            finishBlock();
        }
        if (groups.isEmpty()) {
            startBlock(entry);
        }
        System.arraycopy(entry.key, 0, previous, 0, entry.length);
        previousLength = entry.length;
    }

    /** Begins a block, and writes its separator into the index. */
    private void startBlock(Draft entry) {
        index.append(
                previousLength == 0
                        ? new byte[0]
                        : SortKey.separator(previous, previousLength, entry.key, entry.length));
        prefix = Math.min(entry.length, MOST_PREFIX);
        startGroup(entry);
    }

    /** Returns whether an entry begins a new group after so many in the group before. */
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

    private void finishBlock() throws IOException {
        whole.truncate(0);
        Draft first = groups.getFirst().first;
        whole.put(prefix, Byte.SIZE);
        for (int i = 0; i < prefix; i++) {
            whole.put(first.key[i] & 0xff, Byte.SIZE);
        }
        for (int i = 0; i < groups.size(); i++) {
            Group group = groups.get(i);
            int head = heads.of(group.first.key, prefix, group.first.length);
            putGroup(block, END_AT - GROUP_BYTES * (groups.size() - i), whole.position(), head);
            wholeCoder.restart(group.first, prefix);
            int to = i + 1 < groups.size() ? groups.get(i + 1).othersFrom : others.position();
            whole.put(others, group.othersFrom, to);
        }
        byte[] bits = whole.bytes();
        System.arraycopy(bits, 0, block, 0, bits.length);
        Arrays.fill(block, bits.length, END_AT - GROUP_BYTES * groups.size(), (byte) 0);
        putShort(block, END_AT, whole.position());
        putShort(block, GROUPS_AT, groups.size());
        putInt(block, CRC_AT, checksum(block, salt, blocks));
        checksums.update(block, CRC_AT, Integer.BYTES);
        out.write(block);
        blocks++;
        groups.clear();
        others.truncate(0);
        firstBits = 0;
    }

    /** Writes the last block. */
    void finish() throws IOException {
        if (!groups.isEmpty()) {
            finishBlock();
        }
    }

    long blocks() {
        return blocks;
    }

    /** Returns the CRC-32C of the checksums of all blocks in order. */
    int checksumOfBlocks() {
        return (int) checksums.getValue();
    }

    /** Returns the serial form of the {@link BlockIndex}. */
    byte[] index() {
        return index.serial();
    }
}
