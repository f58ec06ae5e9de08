package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.ShortBytes;
import io.github.senderwhitelist.address.SortKey;

import java.util.Arrays;

/** An entry that is being written: its sort key, taken apart, and its rules. */
final class Draft {
    final byte[] key;
    int length;

    /** Where the local part of the sender ends, and where its domain does. */
    int senderLocal;

    int senderEnd;

    /** The rank of the sender's domain, negative if it has none. */
    int senderRank;

    /** Where the local part of the recipients begins and ends, if the entry is for some. */
    int recipients;

    int recipientsLocal;

    /** The rank of the recipients' domain, negative if it has none. */
    int recipientsRank;

    /**
     * The bytes that the local part shares with that of the sender before, or of the recipients
     * before if the entry is for some.
     */
    int shared;

    /** The byte of that one which follows those shared; -1 if it ends there. */
    int replaced = -1;

    byte[] rules = RulesCodec.PLAIN;

    Draft() {
        this(new byte[SortKey.MAX_LENGTH]);
    }

    private Draft(byte[] key) {
        this.key = key;
    }

    /** Returns how many bytes {@code next[0, nextLength)} shares with the key. */
    int shared(byte[] next, int nextLength) {
        int mismatch = Arrays.mismatch(key, 0, length, next, 0, nextLength);
        return mismatch < 0 ? length : mismatch;
    }

    /**
     * Replaces the entry by the next one in the order of keys.
     *
     * @param same how many bytes the keys share
     * @param end where the sender of the entry ends
     * @param domain a number of its last domain, see {@link DomainRanks#of}
     */
    void next(
            byte[] next,
            int same,
            int end,
            int nextLength,
            byte[] nextRules,
            int domain,
            DomainRanks ranks) {
        boolean afterAddress = kind() == RecipientKind.ADDRESS.code();
        int start = 0;
        int beforeEnd = senderLocal;
        if (end < nextLength) {
            start = SortKey.recipientsStart(end);
            beforeEnd = afterAddress ? recipientsLocal : start;
        }
        int local = start + SortKey.localLength(next, start);
        shared = Math.max(start, Math.min(same, Math.min(beforeEnd, local))) - start;
        setReplaced(start + shared, beforeEnd);
        ShortBytes.copy(next, same, key, same, nextLength - same);
        if (start == 0) {
            setSender(local, end, ranks.of(domain, key, local + 1, end));
        } else {
            setRecipients(local, nextLength, ranks.of(domain, key, local + 1, nextLength));
        }
        rules = nextRules;
    }

    /**
     * Sets {@link #replaced} to the byte at a position of the local part before, which ends at
     * {@code beforeEnd}.
     */
    void setReplaced(int at, int beforeEnd) {
        replaced = at < beforeEnd ? key[at] & 0xff : -1;
    }

    /** Sets the ends of the sender's local part and domain, and the rank of the domain. */
    void setSender(int local, int end, int rank) {
        senderLocal = local;
        senderEnd = end;
        senderRank = rank;
        length = end;
    }

    /** Sets the ends of the recipients' local part and domain, and the rank of the domain. */
    void setRecipients(int local, int end, int rank) {
        recipients = SortKey.recipientsStart(senderEnd);
        recipientsLocal = local;
        recipientsRank = rank;
        length = end;
    }

    /** Returns whether the entry is for some recipients only. */
    boolean forSome() {
        return senderEnd < length;
    }

    /** Returns the kind of the entry: 0 for all recipients, or that of the recipients. */
    int kind() {
        return forSome() ? key[senderEnd + 1] : 0;
    }

    /**
     * Returns whether the entry is for some recipients of the sender, or names kinds of recipients
     * that others are for.
     */
    boolean inRecipients() {
        return forSome() || RulesCodec.hasKinds(rules, 0, rules.length);
    }

    /** Returns a copy. */
    Draft copy() {
        Draft copy = new Draft(Arrays.copyOf(key, length));
        copy.setSender(senderLocal, senderEnd, senderRank);
        if (forSome()) {
            copy.setRecipients(recipientsLocal, length, recipientsRank);
        }
        copy.rules = rules;
        return copy;
    }
}
