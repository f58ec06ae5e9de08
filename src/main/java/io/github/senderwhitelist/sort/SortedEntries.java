package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A cursor over entries in the order of their keys. Each is made of all lines with its key, the
 * same line once. Each sender has an entry for all recipients, before those for some; if no line is
 * for all, it has no rules. For one thread.
 */
public final class SortedEntries {
    private final MergedRecords records;
    private final byte[] key = new byte[SortKey.MAX_LENGTH];
    private int length;
    private int kinds;
    private final List<byte[]> rules = new ArrayList<>();

    /** The sender of the entry, or of those before if it is for some recipients. */
    private final byte[] sender = new byte[SortKey.MAX_LENGTH];

    private int senderLength = -1;

    SortedEntries(MergedRecords records) {
        this.records = records;
    }

    /** Moves to the next entry; returns false after the last one. */
    public boolean next() throws IOException {
        if (records.isEnded()) {
            return false;
        }
        rules.clear();
        kinds = 0;
        Records first = records.first();
        int end = keyEnd(first);
        int senderEnd = SortKey.senderEnd(first.record, 0, end);
        boolean isOther = isOther(first.record, senderEnd);
        length = isOther ? senderEnd : end;
        System.arraycopy(first.record, 0, key, 0, length);
        if (isOther) {
            System.arraycopy(key, 0, sender, 0, senderEnd);
            senderLength = senderEnd;
        }
        while (!records.isEnded() && isOfKey(records.first())) {
            take(records.first());
            records.next();
        }
        if (isOther && !records.isEnded() && isForAddress(records.first())) {
            kinds |= RulesCodec.bits(RecipientKind.ADDRESS);
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
