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

    /** Where the sender ends in the key; less than its length if it is for some recipients. */
    private int senderEnd;

    private int kinds;
    private final List<byte[]> rules = new ArrayList<>();

    /** Makes a cursor over rows of records, which are merged. */
    SortedEntries(List<Records> all) throws IOException {
        for (Records row : all) {
            add(row);
        }
    }

    private void add(Records row) throws IOException {
        if (row.next()) {
            rows.add(row);
        }
    }

    /** Moves to the next entry; returns false after the last one. */
    public boolean next() throws IOException {
        Records line = rows.peek();
        if (line == null) {
            return false;
        }
        rules.clear();
        kinds = 0;
        int lineEnd = keyEnd(line.record);
        boolean isSameSender = length > 0 && startsWithSender(line) && line.record[senderEnd] == 0;
        senderEnd = SortKey.senderEnd(line.record, 0, lineEnd);
        length = isSameSender ? lineEnd : senderEnd;
        System.arraycopy(line.record, 0, key, 0, length);
        while (line != null && has(line, length, 0)) {
            take(line);
            add(rows.remove());
            line = rows.peek();
        }
        if (!isForSome() && line != null && has(line, length, RecipientKind.ADDRESS.code())) {
            kinds |= RulesCodec.bits(RecipientKind.ADDRESS);
        }
        return true;
    }

    private boolean startsWithSender(Records line) {
        return Arrays.equals(key, 0, senderEnd, line.record, 0, Math.min(senderEnd, line.length));
    }

    private static int keyEnd(byte[] record) {
        int at = 1;
        while (record[at] != 0 || record[at - 1] != 0) {
            at++;
        }
        return at - 1;
    }

    /** Returns whether a line begins with the key, a zero, and another byte. */
    private boolean has(Records line, int end, int then) {
        return line.length >= end + 2
                && line.record[end] == 0
                && line.record[end + 1] == then
                && Arrays.equals(key, 0, end, line.record, 0, end);
    }

    private void take(Records line) {
        byte[] rule = Arrays.copyOfRange(line.record, length + 2, line.length);
        int ofKinds = RulesCodec.bits(rule, 0, rule.length);
        if (ofKinds != 0) {
            kinds |= ofKinds;
        } else if (rules.isEmpty() || !Arrays.equals(rules.getLast(), rule)) {
            rules.add(rule);
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
        return length > senderEnd;
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
