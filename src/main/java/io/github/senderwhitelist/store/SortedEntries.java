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

    /** Whether the records are at one that no entry has yet. */
    private boolean hasLine;

    /** How many bytes this record shares with the last one of the entry before. */
    private int shared;

    private int senderEnd;

    /**
     * An entry in bytes, which nobody changes.
     *
     * @param key the sort key
     * @param kind the {@linkplain RecipientKind#code kind} of its recipients; 0 if it is for all
     * @param kinds the kinds of recipients that other entries of the sender are for, as bits
     * @param rules the encoded rules, each once, in the order of their bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    public record Encoded(byte[] key, int kind, int kinds, List<byte[]> rules) {}

    SortedEntries(Records records) throws IOException {
        this.records = records;
        advance();
    }

    private void advance() throws IOException {
        hasLine = records.next();
        shared = records.shared;
    }

    /** Returns the next entry, or null after the last one. */
    public @Nullable Encoded next() throws IOException {
        if (!hasLine) {
            return null;
        }
        boolean isSameSender = shared > senderEnd;
        senderEnd = SortKey.senderEnd(records.bytes, 0, records.length);
        int kind = records.bytes[senderEnd + 1];
        if (kind != 0 && !isSameSender) {
            shared = senderEnd + 1;
            byte[] sender = Arrays.copyOf(records.bytes, senderEnd);
            return new Encoded(sender, 0, kindOfNext(), List.of());
        }
        int end = senderEnd;
        if (kind != 0) {
            end = SortKey.senderEnd(records.bytes, SortKey.recipientsStart(end), records.length);
        }
        byte[] key = Arrays.copyOf(records.bytes, end);
        int kinds = 0;
        List<byte[]> rules = new ArrayList<>(1);
        do {
            int ofKinds = RulesCodec.bits(records.bytes, end + 2, records.length);
            kinds |= ofKinds;
            byte[] rule = Arrays.copyOfRange(records.bytes, end + 2, records.length);
            if (ofKinds == 0 && (rules.isEmpty() || !Arrays.equals(rules.getLast(), rule))) {
                rules.add(rule);
            }
            advance();
        } while (hasLine && shared >= end + 2);
        return new Encoded(key, kind, kind == 0 ? kinds | kindOfNext() : 0, rules);
    }

    /** Returns the bit for addresses if the next line is for one, and of the same sender. */
    private int kindOfNext() {
        boolean isFor =
                hasLine
                        && shared > senderEnd
                        && records.bytes[senderEnd + 1] == RecipientKind.ADDRESS.code();
        return isFor ? RecipientKind.ADDRESS.bit() : 0;
    }
}
