package io.github.senderwhitelist.compare;

import java.util.HashSet;
import java.util.Set;

/**
 * The first textbook contrast: a {@code HashSet<String>} with room for all.
 *
 * @param bytes what it takes, its strings included
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
    public int count(Questions questions) {
        int count = 0;
        for (String text : questions.texts()) {
            if (set.contains(text)) {
                count++;
            }
        }
        return count;
    }

    @Override
    public int batch(int wanted) {
        return wanted;
    }

    @Override
    public boolean removes() {
        return true;
    }

    @Override
    public void add(Questions questions, int count) {
        for (int i = 0; i < count; i++) {
            set.add(questions.texts()[i]);
        }
    }

    @Override
    public void remove(Questions questions, int count) {
        for (int i = 0; i < count; i++) {
            set.remove(questions.texts()[i]);
        }
    }
}
