package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.store.EntrySorter.Records;

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

    /** Whether the records are at one that no entry has yet. */
    private boolean hasLine;

    private byte[] key = {};

    /** Where the sender ends in the key; less than its length if it is for some recipients. */
    private int senderEnd;

    private int kinds;
    private final List<byte[]> rules = new ArrayList<>();

    /** Makes a cursor over what records are of; see {@link EntrySorter}. */
    SortedEntries(Records records) throws IOException {
        this.records = records;
        this.hasLine = records.next();
    }

    /** Moves to the next entry; returns false after the last one. */
    public boolean next() throws IOException {
        if (!hasLine) {
            return false;
        }
        rules.clear();
        kinds = 0;
        byte[] line = records.bytes;
        boolean isSameSender = key.length > 0 && startsWith(senderEnd) && line[senderEnd] == 0;
        senderEnd = SortKey.senderEnd(line, 0, records.length);
        boolean isForSome = line[senderEnd + 1] != 0;
        key =
                isForSome && isSameSender
                        ? Arrays.copyOf(line, recipientsEnd(line))
                        : Arrays.copyOf(line, senderEnd);
        while (hasLine && has(0)) {
            take();
            hasLine = records.next();
        }
        if (kind() == 0 && hasLine && has(RecipientKind.ADDRESS.code())) {
            kinds |= RecipientKind.ADDRESS.bit();
        }
        return true;
    }

    private int recipientsEnd(byte[] line) {
        return SortKey.senderEnd(line, SortKey.recipientsStart(senderEnd), records.length);
    }

    /** Returns whether the line begins with so many bytes of the key. */
    private boolean startsWith(int count) {
        return records.length >= count && Arrays.equals(key, 0, count, records.bytes, 0, count);
    }

    /** Returns whether the line begins with the key, a zero, and another byte. */
    private boolean has(int then) {
        int end = key.length;
        return records.length >= end + 2
                && records.bytes[end] == 0
                && records.bytes[end + 1] == then
                && startsWith(end);
    }

    /** Takes the rule of the line. */
    private void take() {
        int from = key.length + 2;
        int ofKinds = RulesCodec.bits(records.bytes, from, records.length);
        if (ofKinds != 0) {
            kinds |= ofKinds;
            return;
        }
        byte[] rule =
                from == records.length
                        ? RulesCodec.PLAIN
                        : Arrays.copyOfRange(records.bytes, from, records.length);
        if (rules.isEmpty() || !Arrays.equals(rules.getLast(), rule)) {
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
