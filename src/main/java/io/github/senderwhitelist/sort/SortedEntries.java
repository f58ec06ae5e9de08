package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A cursor over entries in the order of their keys. Each is made of all lines with its key, the
 * same line once. Each sender has an entry for all recipients, before those for some; if no line is
 * for all, it has no rules. For one thread.
 */
public final class SortedEntries {
    /** The rows that have not ended, the one with the least record first. */
    private final PriorityQueue<Records> rows = new PriorityQueue<>();

    private final byte[] key = new byte[SortKey.MAX_LENGTH];
    private int length;
    private int kinds;
    private final List<byte[]> rules = new ArrayList<>();

    /** The sender of the entry, or of those before if it is for some recipients. */
    private final byte[] sender = new byte[SortKey.MAX_LENGTH];

    private int senderLength = -1;

    /** Makes a cursor over rows of records, which are merged. */
    SortedEntries(List<Records> all) throws IOException {
        for (Records row : all) {
            if (row.next()) {
                rows.add(row);
            }
        }
    }

    /** Moves to the next record. */
    private void advance() throws IOException {
        Records row = rows.remove();
        if (row.next()) {
            rows.add(row);
        }
    }

    /** Moves to the next entry; returns false after the last one. */
    public boolean next() throws IOException {
        Records first = rows.peek();
        if (first == null) {
            return false;
        }
        rules.clear();
        kinds = 0;
        int end = keyEnd(first);
        int senderEnd = SortKey.senderEnd(first.record, 0, end);
        boolean isOther = isOther(first.record, senderEnd);
        length = isOther ? senderEnd : end;
        System.arraycopy(first.record, 0, key, 0, length);
        if (isOther) {
            System.arraycopy(key, 0, sender, 0, senderEnd);
            senderLength = senderEnd;
        }
        Records line = first;
        while (line != null && isOfKey(line)) {
            take(line);
            advance();
            line = rows.peek();
        }
        if (isOther && line != null && isForAddress(line)) {
            kinds |= RecipientKind.ADDRESS.bit();
        }
        return true;
    }

    private boolean isOther(byte[] record, int senderEnd) {
        return !Arrays.equals(record, 0, senderEnd, sender, 0, Math.max(0, senderLength));
    }

    private static int keyEnd(Records records) {
        int at = 1;
        while (records.record[at] != 0 || records.record[at - 1] != 0) {
            at++;
        }
        return at - 1;
    }

    private boolean isOfKey(Records other) {
        return other.length >= length + 2
                && other.record[length] == 0
                && other.record[length + 1] == 0
                && Arrays.equals(key, 0, length, other.record, 0, length);
    }

    private boolean isForAddress(Records other) {
        return other.length > length + 2
                && other.record[length] == 0
                && other.record[length + 1] == RecipientKind.ADDRESS.code()
                && Arrays.equals(key, 0, length, other.record, 0, length);
    }

    private void take(Records line) {
        int from = length + 2;
        int ofKinds = RulesCodec.bits(line.record, from, line.length);
        if (ofKinds != 0) {
            kinds |= ofKinds;
        } else if (rules.isEmpty()
                || !Arrays.equals(
                        rules.getLast(),
                        0,
                        rules.getLast().length,
                        line.record,
                        from,
                        line.length)) {
            rules.add(
                    line.length == from
                            ? RulesCodec.PLAIN
                            : Arrays.copyOfRange(line.record, from, line.length));
        }
    }

    /** Returns the array that begins with the sort key. The next entry overwrites it. */
    public byte[] key() {
        return key;
    }

    /** Returns the length of the sort key. */
    public int length() {
        return length;
    }

    /** Returns whether the entry is for some recipients only. */
    public boolean isForSome() {
        return length > senderLength;
    }

    /** Returns the kinds of recipients that other entries of the sender are for, as bits. */
    public int kinds() {
        return kinds;
    }

    /** Returns the encoded rules, each once, in the order of their bytes. */
    public List<byte[]> rules() {
        return rules;
    }
}
