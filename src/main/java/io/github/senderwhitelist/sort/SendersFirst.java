package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;

/**
 * Sorted entries in which each sender has an entry for all recipients, before its entries for some.
 * That entry has the kinds of recipients that the others are for, so that no entries of other kinds
 * are looked up. If no line is for all recipients, it has no rules.
 *
 * <p>The kinds of entries for domains, which come last, were recorded when they were added (see
 * {@link EntrySorter.Worker#add}). Entries for addresses come first, where they are seen in time.
 */
public final class SendersFirst implements SortedEntries {
    private final DistinctEntries entries;
    private final SortedEntry head = new SortedEntry();

    /** The entry for some recipients that follows {@link #head}, or null. */
    private @Nullable SortedEntry pending;

    /** The last sender returned that has entries for some recipients. */
    private final byte[] sender = new byte[SortKey.MAX_LENGTH];

    private int senderLength;

    /** Completes distinct entries, which only this object may use from now on. */
    public SendersFirst(DistinctEntries entries) {
        this.entries = entries;
    }

    @Override
    public @Nullable SortedEntry next() throws IOException {
        SortedEntry entry = pending;
        pending = null;
        if (entry != null) {
            return entry;
        }
        entry = entries.next();
        if (entry == null) {
            return null;
        }
        int end = SortKey.senderEnd(entry.key, 0, entry.keyLength);
        if (end == entry.keyLength) {
            SortedEntry ahead = entries.ahead();
            if (ahead != null && isOf(entry.key, end, ahead)) {
                remember(entry.key, end);
                entry.rules =
                        RulesCodec.merge(
                                entry.rules, RulesCodec.onlyKind(SortKey.kind(ahead.key, end)));
            }
            return entry;
        }
        if (isOf(sender, senderLength, entry)) {
            return entry;
        }
        remember(entry.key, end);
        System.arraycopy(sender, 0, head.key, 0, senderLength);
        head.keyLength = senderLength;
        head.rules = RulesCodec.onlyKind(SortKey.kind(entry.key, end));
        pending = entry;
        return head;
    }

    private void remember(byte[] key, int length) {
        System.arraycopy(key, 0, sender, 0, length);
        senderLength = length;
    }

    /** Returns whether an entry is one for some recipients of the sender {@code key[0, length)}. */
    private static boolean isOf(byte[] key, int length, SortedEntry entry) {
        return entry.keyLength > length
                && entry.key[length] == 0
                && Arrays.equals(key, 0, length, entry.key, 0, length)
                && SortKey.senderEnd(entry.key, 0, entry.keyLength) == length;
    }
}
