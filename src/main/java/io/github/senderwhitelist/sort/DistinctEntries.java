package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.util.Arrays;

/** Brings entries of the same key together into one that has all their rules. */
public final class DistinctEntries implements SortedEntries {
    private final SortedEntries entries;
    private final byte[] key = new byte[SortKey.MAX_LENGTH];
    private int length;
    private byte[] rules = RulesCodec.PLAIN;
    private boolean ahead;
    private long duplicates;

    /** The distinct ones of these entries, which are this object's from now on. */
    public DistinctEntries(SortedEntries entries) throws IOException {
        this.entries = entries;
        this.ahead = entries.next();
    }

    @Override
    public boolean next() throws IOException {
        if (!ahead) {
            return false;
        }
        length = entries.keyLength();
        System.arraycopy(entries.key(), 0, key, 0, length);
        rules = entries.rules();
        ahead = entries.next();
        while (ahead && Arrays.equals(key, 0, length, entries.key(), 0, entries.keyLength())) {
            rules = RulesCodec.merge(rules, entries.rules());
            requireRoom();
            duplicates++;
            ahead = entries.next();
        }
        return true;
    }

    @Override
    public byte[] key() {
        return key;
    }

    @Override
    public int keyLength() {
        return length;
    }

    @Override
    public byte[] rules() {
        return rules;
    }

    private void requireRoom() throws IOException {
        if (rules.length > RulesCodec.MAX_BYTES) {
            int local = SortKey.localLength(key, 0);
            Key sender =
                    Key.of(Arrays.copyOf(key, local), Arrays.copyOfRange(key, local + 1, length));
            throw new TooManyRulesException(
                    sender
                            + ": too many lines with conditions for this one sender: they take "
                            + rules.length
                            + " bytes, at most "
                            + RulesCodec.MAX_BYTES
                            + " fit. Write fewer, for whole domains of recipients say, or shorter"
                            + " notes");
        }
    }

    /** Entries of the same key as one before so far. */
    public long duplicates() {
        return duplicates;
    }
}
