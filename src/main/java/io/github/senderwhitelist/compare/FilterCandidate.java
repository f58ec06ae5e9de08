package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.RemovableFilter;
import io.github.senderwhitelist.filter.UpdatableFilter;

/**
 * A filter that is compared. All kinds are queried by the same loop, through the interface, and
 * each address is hashed when it is looked up, as in a check of a mail.
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
    public int count(AddressBatch batch) {
        int count = 0;
        for (Key key : batch.keys()) {
            if (filter.mightContain(hasher.hash(key))) {
                count++;
            }
        }
        return count;
    }

    @Override
    public int batchSize(int wanted) {
        return filter instanceof UpdatableFilter ? wanted : 0;
    }

    @Override
    public boolean removes() {
        return filter instanceof RemovableFilter;
    }

    @Override
    public void add(AddressBatch batch, int count) {
        if (count == 0) {
            return;
        }
        UpdatableFilter updatable = (UpdatableFilter) filter;
        for (int i = 0; i < count; i++) {
            updatable.add(hasher.hash(batch.keys()[i]));
        }
    }

    @Override
    public void remove(AddressBatch batch, int count) {
        RemovableFilter removable = (RemovableFilter) filter;
        for (int i = 0; i < count; i++) {
            if (!removable.remove(hasher.hash(batch.keys()[i]))) {
                throw new IllegalStateException(name() + " lost " + batch.keys()[i]);
            }
        }
    }
}
