package io.github.senderwhitelist.decision;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.store.ExactStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A snapshot that is ready to answer: its filters, its exact store, a cache of the store's answers,
 * which none outlives, and the changes since it was made, of which a list in a file has none.
 *
 * <p>The filters are plain memory and can be asked at any time. The store keeps a file open, so it
 * is used only between {@link #enter} and {@link #leave}, and closed when the generation has been
 * retired and its last user has left.
 */
public final class Generation implements SenderLines {
    /** Changes of a list since its snapshot was made. Safe for use by any number of threads. */
    public interface Overlay {
        /** Returns whether there may be changes for a sender with this hash; false is certain. */
        boolean mayHave(long hash);

        /** Returns what a list says where the snapshot says this entry; null says nothing. */
        @Nullable Entry over(@Nullable Entry entry, Key sender, @Nullable Key to);

        /** Returns whether a change may be a user's, or learned. */
        boolean hasPersonal();
    }

    private final Snapshot snapshot;

    private final @Nullable ExactStore store;
    private final @Nullable Cache<Pair, Optional<Entry>> answers;
    private final ListCounters counters;
    private final @Nullable Overlay changes;

    /** The number of users of the store, plus one until the generation is retired. */
    private final AtomicInteger users = new AtomicInteger(1);

    private volatile @Nullable IOException failure;

    /**
     * Makes a generation, which closes the snapshot.
     *
     * @param store the store of the snapshot, but for tests; null where filters alone decide
     * @param cacheSize how many answers of the store are cached at most; 0 caches none
     */
    public Generation(
            Snapshot snapshot,
            @Nullable ExactStore store,
            @Nullable Overlay changes,
            long cacheSize,
            ListCounters counters) {
        this.snapshot = snapshot;
        this.store = store;
        this.changes = changes;
        this.counters = counters;
        this.answers =
                cacheSize == 0 || store == null
                        ? null
                        : Caffeine.newBuilder()
                                .maximumSize(cacheSize)
                                .executor(Runnable::run)
                                .build();
    }

    /** Returns a generation of a snapshot with its store, whose questions nobody counts. */
    public static Generation exact(Snapshot snapshot, long cacheSize) {
        return new Generation(snapshot, snapshot.store(), null, cacheSize, new ListCounters());
    }

    @Override
    public boolean mightContain(Address address, Subaddressing subaddressing) {
        byte[] bytes = address.key().bytes();
        boolean maybe = mightContain(bytes, 0);
        for (int at = address.key().domainStart(); !maybe && at >= 0; at = address.nextDomain(at)) {
            maybe = mightContain(bytes, at);
        }
        Key untagged = maybe ? null : address.keyWithoutTag(subaddressing);
        return maybe || (untagged != null && mightContain(untagged));
    }

    @Override
    public boolean mightContain(Key key) {
        return mightContain(key.bytes(), key.hashedFrom());
    }

    private boolean mightContain(byte[] key, int from) {
        long hash = snapshot.hasher().hash(key, from);
        Filter filter = from > 0 ? snapshot.domainFilter() : snapshot.addressFilter();
        return filter.mightContain(hash) || (changes != null && changes.mayHave(hash));
    }

    @Override
    public void countRefused(int addresses) {
        counters.add(Count.FILTER_NO, addresses);
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException {
        if (to == null) {
            counters.add(key.isDomain() ? Count.DOMAIN_MAYBE : Count.FILTER_MAYBE, 1);
        }
        if (store == null) {
            return new Entry(key, null, Rule.ONLY_LISTS);
        }
        if (changes == null) {
            return findInSnapshot(store, key, to);
        }
        boolean maybe = !changes.mayHave(snapshot.hasher().hash(key)) || snapshot.mightContain(key);
        return changes.over(maybe ? findInSnapshot(store, key, to) : null, key, to);
    }

    private @Nullable Entry findInSnapshot(ExactStore store, Key key, @Nullable Key to)
            throws IOException, RetiredException {
        Pair asked = new Pair(key, to);
        Optional<Entry> answer = answers == null ? null : answers.getIfPresent(asked);
        if (answer != null) {
            counters.add(Count.CACHE_HITS, 1);
        } else {
            answer = Optional.ofNullable(lookUp(store, key, to));
            if (answers != null) {
                answers.put(asked, answer);
            }
        }
        if (answer.isEmpty() && to == null) {
            counters.add(key.isDomain() ? Count.DOMAIN_FALSE_POSITIVES : Count.FALSE_POSITIVES, 1);
        }
        return answer.orElse(null);
    }

    private @Nullable Entry lookUp(ExactStore store, Key key, @Nullable Key to)
            throws IOException, RetiredException {
        enter();
        Runnable timed = counters.lookup();
        try {
            return store.find(key, to);
        } catch (IOException e) {
            failure = e;
            counters.add(Count.FAILURES, 1);
            throw e;
        } finally {
            leave();
            timed.run();
        }
    }

    @Override
    public boolean hasPersonal() {
        return snapshot.header().personal() > 0 || (changes != null && changes.hasPersonal());
    }

    /** The entries of the snapshot, without the changes. It stays open until they are closed. */
    public record Entries(BlockStore.Walk walk, Generation of) implements AutoCloseable {
        /** Returns the next entry, or null after the last one. */
        public @Nullable Entry next() throws IOException {
            return walk.next();
        }

        @Override
        public void close() {
            of.leave();
        }
    }

    /**
     * Returns the entries from a few before a sender and recipients on, or all if it is null.
     *
     * @throws RetiredException if the generation has been retired
     */
    public Entries entries(@Nullable Entry from) throws RetiredException {
        BlockStore blocks =
                Objects.requireNonNull(snapshot.store(), "only the filters were opened");
        BlockStore.Walk walk = blocks.walk(from);
        enter();
        return new Entries(walk, this);
    }

    /** Begins to use the store, unless it is closed, or about to be. */
    private void enter() throws RetiredException {
        if (users.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            throw new RetiredException();
        }
    }

    /** Ends the use of the store; the last user closes it. */
    private void leave() {
        if (users.decrementAndGet() == 0) {
            try {
                snapshot.close();
            } catch (IOException e) {
                // The last reader already has its answer, so nobody needs to know.
            }
        }
    }

    /** Closes the snapshot once its last user has left. Must be called exactly once. */
    public void retire() {
        leave();
    }

    /** Returns the failure of the last lookup that failed, or null when none has. */
    public @Nullable IOException failure() {
        return failure;
    }

    @Override
    public String describe() {
        SnapshotHeader header = header();
        return "%s addresses, %s domains%s, built %s from %s"
                .formatted(
                        header.addresses(),
                        header.domains(),
                        header.pairs() == 0 ? "" : ", " + header.pairs() + " for some recipients",
                        header.buildTime() == 0
                                ? "at an unrecorded time"
                                : Instant.ofEpochMilli(header.buildTime()),
                        header.sourceDigest().substring(0, 12));
    }

    /** Returns the header of the snapshot. */
    public SnapshotHeader header() {
        return snapshot.header();
    }
}
