package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.ExactStore;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A list that counts what its store is asked, and whose store fails on demand. */
final class CountingList implements SenderList, ExactStore {
    final Generation generation;

    /** The senders asked for, each with its recipients. */
    final List<String> asked = new ArrayList<>();

    /** What the store fails to answer. */
    final Set<String> broken = new HashSet<>();

    private final ListCounters counters = new ListCounters();
    private final ExactStore store;

    CountingList(Path folder, BuildOptions options, int cacheSize, String... lines)
            throws IOException {
        Snapshot snapshot = SmallLists.snapshot(folder, options, lines);
        store = Objects.requireNonNull(snapshot.store());
        generation = new Generation(snapshot, this, null, cacheSize, counters);
    }

    long count(Count which) {
        return counters.get(which);
    }

    @Override
    public Generation current() {
        return generation;
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        String question = key + (to == null ? "" : " to=" + to);
        asked.add(question);
        if (broken.contains(question)) {
            throw new IOException(question);
        }
        return store.find(key, to);
    }
}
