package io.github.senderwhitelist.compare;

import java.util.HashSet;
import java.util.Set;

/**
 * A {@code HashSet<String>} with room for all addresses, for contrast with filters.
 *
 * @param bytes the memory it takes, its strings included
 */
record HashSetCandidate(Set<String> set, long bytes) implements Candidate {
    static final String NAME = "HashSet";

    static Set<String> build(String[] texts, int n) {
        Set<String> set = HashSet.newHashSet(n);
        for (int i = 0; i < n; i++) {
            set.add(texts[i]);
        }
        return set;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int count(AddressBatch batch) {
        int count = 0;
        for (String text : batch.texts()) {
            if (set.contains(text)) {
                count++;
            }
        }
        return count;
    }

    @Override
    public int batchSize(int wanted) {
        return wanted;
    }

    @Override
    public boolean removes() {
        return true;
    }

    @Override
    public void add(AddressBatch batch, int count) {
        for (int i = 0; i < count; i++) {
            set.add(batch.texts()[i]);
        }
    }

    @Override
    public void remove(AddressBatch batch, int count) {
        for (int i = 0; i < count; i++) {
            set.remove(batch.texts()[i]);
        }
    }
}
