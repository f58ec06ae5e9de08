package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.store.ExactStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A snapshot that is ready to answer: its filters, its exact store, a cache of the store's answers,
 * and the changes since it was made, of which a list in a file has none. Each generation has a
 * cache of its own, so no answer outlives the list it came from.
 *
 * <p>The filters are plain memory and can be asked at any time. The store keeps a file open, so it
 * is used only between {@link #enter} and {@link #leave}. It is closed when the generation has been
 * retired and its last user has left.
 */
public final class Generation implements SenderLines {
    private static final int DIGEST_SHOWN = 12;

    private final Snapshot snapshot;
    private final @Nullable ExactStore store;
    private final @Nullable AnswerCache answers;
    private final ListCounters counters;
    private final Overlay changes;

    /** The method as an object, which is made once instead of for each question. */
    private final AnswerCache.Store lookUp = this::lookUp;

    /** The number of users of the store, plus one until the generation is retired. */
    private final AtomicInteger users = new AtomicInteger(1);

    private Generation(
            Snapshot snapshot,
            @Nullable ExactStore store,
            @Nullable AnswerCache answers,
            ListCounters counters,
            Overlay changes) {
        this.snapshot = snapshot;
        this.store = store;
        this.answers = answers;
        this.counters = counters;
        this.changes = changes;
    }

    /**
     * Returns a generation whose questions nobody counts.
     *
     * @param snapshot a snapshot that was opened with its store; the generation closes it
     * @param cacheSize how many answers of the store are cached at most; 0 caches none
     * @param cacheExpiry how long an answer is cached
     */
    public static Generation exact(Snapshot snapshot, long cacheSize, Duration cacheExpiry) {
        return exact(snapshot, cacheSize, cacheExpiry, new ListCounters(LookupTimer.NONE));
    }

    /**
     * Returns a generation whose questions and answers are counted.
     *
     * @param snapshot a snapshot that was opened with its store; the generation closes it
     * @param cacheSize how many answers of the store are cached at most; 0 caches none
     * @param cacheExpiry how long an answer is cached
     */
    public static Generation exact(
            Snapshot snapshot, long cacheSize, Duration cacheExpiry, ListCounters counters) {
        return of(snapshot, snapshot.store(), cacheSize, cacheExpiry, counters);
    }

    /**
     * Returns a generation with changes that lie over its snapshot.
     *
     * @param snapshot a snapshot that was opened with its store; the generation closes it
     * @param changes the changes; the cache holds the snapshot's answers only
     */
    public static Generation withChanges(
            Snapshot snapshot,
            Overlay changes,
            long cacheSize,
            Duration cacheExpiry,
            ListCounters counters) {
        return new Generation(
                snapshot,
                snapshot.store(),
                new AnswerCache(cacheSize, cacheExpiry, counters),
                counters,
                changes);
    }

    /** Returns a generation whose filters alone decide. It closes the snapshot. */
    public static Generation filterOnly(Snapshot snapshot, ListCounters counters) {
        return new Generation(snapshot, null, null, counters, Overlay.NONE);
    }

    /** Returns a generation with a store other than the snapshot's, for tests. */
    static Generation of(
            Snapshot snapshot,
            @Nullable ExactStore store,
            long cacheSize,
            Duration cacheExpiry,
            ListCounters counters) {
        AnswerCache answers =
                store == null ? null : new AnswerCache(cacheSize, cacheExpiry, counters);
        return new Generation(snapshot, store, answers, counters, Overlay.NONE);
    }

    @Override
    public boolean mightContainAddress(Key key) {
        long hash = snapshot.hasher().hash(key);
        boolean maybe = mayHave(snapshot.addressFilter(), hash);
        counters.addressAnswer(maybe);
        return maybe;
    }

    @Override
    public boolean mightContainDomain(byte[] bytes, int start) {
        long hash = snapshot.hasher().hashDomain(bytes, start);
        boolean maybe = mayHave(snapshot.domainFilter(), hash);
        if (maybe) {
            counters.domainAnsweredMaybe();
        }
        return maybe;
    }

    @Override
    public boolean mayHave(Key key) {
        return mayHave(filter(key), snapshot.hasher().hash(key));
    }

    private boolean mayHave(Filter filter, long hash) {
        return filter.mightContain(hash) || changes.mayHave(hash);
    }

    /** Returns the filter that has the keys of this kind. */
    private Filter filter(Key key) {
        return key.isDomain() ? snapshot.domainFilter() : snapshot.addressFilter();
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException {
        if (answers == null) {
            return new Entry(key, false);
        }
        return changes.over(findInSnapshot(answers, key, to), key, to);
    }

    private @Nullable Entry findInSnapshot(AnswerCache from, Key key, @Nullable Key to)
            throws IOException, RetiredException {
        long hash = snapshot.hasher().hash(key);
        boolean maybe = !changes.mayHave(hash) || filter(key).mightContain(hash);
        return maybe ? from.find(key, to, lookUp) : null;
    }

    @Override
    public boolean hasPersonal() {
        return header().personal() > 0 || changes.hasPersonal();
    }

    @Override
    public @Nullable String source(Key key, @Nullable Key to) {
        return changes.source(key, to);
    }

    /** Something that reads the store. */
    @FunctionalInterface
    public interface Reading {
        /** Reads the store from its beginning. */
        void read(BlockStore.Walk walk) throws IOException;
    }

    /**
     * Reads the entries of the snapshot, without the changes.
     *
     * @throws RetiredException if the generation has been retired
     */
    public void read(Reading reading) throws IOException, RetiredException {
        BlockStore blocks = snapshot.store();
        if (blocks == null || !enter()) {
            throw new RetiredException();
        }
        try {
            reading.read(blocks.walk());
        } finally {
            leave();
        }
    }

    private @Nullable Entry lookUp(Key key, @Nullable Key to) throws IOException, RetiredException {
        if (store == null || !enter()) {
            throw new RetiredException();
        }
        try {
            return store.find(key, to);
        } finally {
            leave();
        }
    }

    /** Begins to use the store; returns false when it is closed, or about to be. */
    private boolean enter() {
        int before = users.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before > 0;
    }

    /** Ends the use of the store; the last user closes it. */
    private void leave() {
        if (users.decrementAndGet() == 0) {
            try {
                snapshot.close();
            } catch (IOException e) {
                // The last reader already has its answer, so nobody needs to know.
                return;
            }
        }
    }

    /** Closes the snapshot once its last user has left. Must be called exactly once. */
    public void retire() {
        leave();
    }

    /** Returns the failure of the last lookup that failed, or null when none has. */
    public @Nullable IOException failure() {
        return answers == null ? null : answers.failure();
    }

    @Override
    public String describe() {
        SnapshotHeader header = header();
        return header.addresses()
                + " addresses, "
                + header.domains()
                + " domains"
                + (header.pairs() == 0 ? "" : ", " + header.pairs() + " for some recipients")
                + ", built "
                + (header.buildTime() == 0
                        ? "at an unrecorded time"
                        : Instant.ofEpochMilli(header.buildTime()).toString())
                + " from "
                + header.sourceDigest().substring(0, DIGEST_SHOWN);
    }

    /** Returns the header of the snapshot. */
    public SnapshotHeader header() {
        return snapshot.header();
    }
}
