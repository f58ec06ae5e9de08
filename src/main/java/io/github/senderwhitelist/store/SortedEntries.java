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

    /** How many bytes this record shares with the last one of the entry before. */
    private int shared;

    private byte[] key = {};

    /** Where the sender ends in the key; less than its length if it is for some recipients. */
    private int senderEnd;

    private int kinds;
    private final List<byte[]> rules = new ArrayList<>();

    SortedEntries(Records records) throws IOException {
        this.records = records;
        advance();
    }

    private void advance() throws IOException {
        hasLine = records.next();
        shared = records.shared;
    }

    /** Moves to the next entry; returns false after the last one. */
    public boolean next() throws IOException {
        if (!hasLine) {
            return false;
        }
        rules.clear();
        kinds = 0;
        byte[] line = records.bytes;
        boolean isSameSender = shared > senderEnd;
        senderEnd = SortKey.senderEnd(line, 0, records.length);
        if (line[senderEnd + 1] != 0 && !isSameSender) {
            key = Arrays.copyOf(line, senderEnd);
            shared = senderEnd + 1;
        } else {
            int end = senderEnd;
            if (line[senderEnd + 1] != 0) {
                end = SortKey.senderEnd(line, SortKey.recipientsStart(end), records.length);
            }
            key = Arrays.copyOf(line, end);
            do {
                int from = end + 2;
                int ofKinds = RulesCodec.bits(records.bytes, from, records.length);
                kinds |= ofKinds;
                byte[] rule = Arrays.copyOfRange(records.bytes, from, records.length);
                if (ofKinds == 0 && (rules.isEmpty() || !Arrays.equals(rules.getLast(), rule))) {
                    rules.add(rule);
                }
                advance();
            } while (hasLine && shared >= end + 2);
        }
        boolean isForNext = hasLine && kind() == 0 && shared > senderEnd;
        if (isForNext && records.bytes[senderEnd + 1] == RecipientKind.ADDRESS.code()) {
            kinds |= RecipientKind.ADDRESS.bit();
        }
        return true;
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
