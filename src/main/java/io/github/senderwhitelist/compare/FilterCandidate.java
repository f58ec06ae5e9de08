package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.RemovableFilter;
import io.github.senderwhitelist.filter.UpdatableFilter;

/**
 * A filter. All kinds are asked by the same loop, through the interface, and hash the address for
 * each question: that is what a check costs whichever filter was configured.
 */
record FilterCandidate(Filter filter, KeyHasher hasher) implements Candidate {
    FilterShape shape() {
        return filter.shape();
    }

    @Override
    public String name() {
        return filter.shape().kind().label();
    }

    @Override
    public long bytes() {
        return filter.shape().bytes();
    }

    @Override
    public int count(Questions questions) {
        int count = 0;
        for (Key key : questions.keys()) {
            if (filter.mightContain(hasher.hash(key))) {
                count++;
            }
        }
        return count;
    }

    @Override
    public int batch(int wanted) {
        return filter instanceof UpdatableFilter ? wanted : 0;
    }

    @Override
    public boolean removes() {
        return filter instanceof RemovableFilter;
    }

    @Override
    public void add(Questions questions, int count) {
        if (count == 0) {
            return;
        }
        UpdatableFilter updatable = (UpdatableFilter) filter;
        for (int i = 0; i < count; i++) {
            updatable.add(hasher.hash(questions.keys()[i]));
        }
    }

    @Override
    public void remove(Questions questions, int count) {
        RemovableFilter removable = (RemovableFilter) filter;
        for (int i = 0; i < count; i++) {
            if (!removable.remove(hasher.hash(questions.keys()[i]))) {
                throw new IllegalStateException(name() + " lost " + questions.keys()[i]);
            }
        }
    }
}
