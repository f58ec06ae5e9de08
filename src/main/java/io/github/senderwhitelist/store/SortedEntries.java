package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.store.EntrySorter.Records;

import org.jspecify.annotations.Nullable;

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
    private final Records records;

    /** The next record; null after the last one. */
    private byte @Nullable [] line;

    private byte[] key = {};

    /** Where the sender ends in the key; less than its length if it is for some recipients. */
    private int senderEnd;

    private int kinds;
    private final List<byte[]> rules = new ArrayList<>();

    /** Makes a cursor over what records are of; see {@link EntrySorter}. */
    SortedEntries(Records records) throws IOException {
        this.records = records;
        this.line = records.next();
    }

    /** Moves to the next entry; returns false after the last one. */
    public boolean next() throws IOException {
        if (line == null) {
            return false;
        }
        rules.clear();
        kinds = 0;
        boolean isSameSender =
                key.length > 0 && startsWith(line, key, senderEnd) && line[senderEnd] == 0;
        int lineEnd = keyEnd(line);
        senderEnd = SortKey.senderEnd(line, 0, lineEnd);
        key = Arrays.copyOf(line, isSameSender ? lineEnd : senderEnd);
        while (line != null && has(line, 0)) {
            take(line);
            line = records.next();
        }
        if (kind() == 0 && line != null && has(line, RecipientKind.ADDRESS.code())) {
            kinds |= RecipientKind.ADDRESS.bit();
        }
        return true;
    }

    private static boolean startsWith(byte[] line, byte[] start, int length) {
        return Arrays.equals(start, 0, length, line, 0, Math.min(length, line.length));
    }

    private static int keyEnd(byte[] record) {
        int at = 1;
        while (record[at] != 0 || record[at - 1] != 0) {
            at++;
        }
        return at - 1;
    }

    /** Returns whether a line begins with the key, a zero, and another byte. */
    private boolean has(byte[] line, int then) {
        int end = key.length;
        return line.length >= end + 2
                && line[end] == 0
                && line[end + 1] == then
                && startsWith(line, key, end);
    }

    private void take(byte[] line) {
        byte[] rule = Arrays.copyOfRange(line, key.length + 2, line.length);
        int ofKinds = RulesCodec.bits(rule, 0, rule.length);
        if (ofKinds != 0) {
            kinds |= ofKinds;
        } else if (rules.isEmpty() || !Arrays.equals(rules.getLast(), rule)) {
            rules.add(rule);
        }
    }

    /** Returns the sort key, which nobody changes. */
    public byte[] key() {
        return key;
    }

    /** Returns the {@linkplain RecipientKind#code kind} of its recipients; 0 if it is for all. */
    public int kind() {
        return key.length > senderEnd ? key[senderEnd + 1] : 0;
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
