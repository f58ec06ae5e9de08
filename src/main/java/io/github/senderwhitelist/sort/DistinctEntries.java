package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.util.Arrays;

/** Brings entries of the same key together into one that has all their flags. */
public final class DistinctEntries implements SortedEntries {
    private final SortedEntries entries;
    private final byte[] key = new byte[SortKey.MAX_LENGTH];
    private int length;
    private int flags;
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
        flags = entries.flags();
        ahead = entries.next();
        while (ahead && Arrays.equals(key, 0, length, entries.key(), 0, entries.keyLength())) {
            flags |= entries.flags();
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
    public int flags() {
        return flags;
    }

    /** Entries left out so far. */
    public long duplicates() {
        return duplicates;
    }
}
