package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.store.ExactStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Counts what it is asked, and fails on demand. */
final class CountingStore implements ExactStore {
    final ExactStore store;

    /** The senders asked for, each with its recipients. */
    final List<String> asked = new ArrayList<>();

    boolean broken;

    CountingStore(ExactStore store) {
        this.store = store;
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        asked.add(key + (to == null ? "" : " to=" + to));
        if (broken) {
            throw new IOException("broken");
        }
        return store.find(key, to);
    }
}
