package io.github.senderwhitelist.decision;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.store.ExactStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A snapshot in force: its filters, its exact store, and the answers of that store that are
 * remembered. A new generation begins with nothing remembered, so no answer outlives its list.
 *
 * <p>Filters are plain memory and need no care. The store has open files: it is used only between
 * {@link #enter} and {@link #leave}, and closed when the generation has been retired and the last
 * user has left.
 */
public final class Generation implements SenderLines {
    private static final int DIGEST_SHOWN = 12;

    private final Snapshot snapshot;
    private final @Nullable ExactStore store;
    private final @Nullable Cache<Key, Answer> answers;
    private final ListCounters counters;

    /** Users of the store, and one more until the generation is retired. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** Why the last lookup failed, if any did. */
    private volatile @Nullable IOException failure;

    /** What the store said of a key. */
    private record Answer(@Nullable Entry entry) {}

    private Generation(
            Snapshot snapshot,
            @Nullable ExactStore store,
            @Nullable Cache<Key, Answer> answers,
            ListCounters counters) {
        this.snapshot = snapshot;
        this.store = store;
        this.answers = answers;
        this.counters = counters;
    }

    /**
     * The generation of a snapshot opened with its store.
     *
     * @param cacheSize how many answers are remembered
     * @param cacheExpiry how long each
     */
    public static Generation exact(Snapshot snapshot, long cacheSize, Duration cacheExpiry) {
        return exact(snapshot, cacheSize, cacheExpiry, new ListCounters(LookupTimer.NONE));
    }

    /** Returns the same, with its questions and answers counted there. */
    public static Generation exact(
            Snapshot snapshot, long cacheSize, Duration cacheExpiry, ListCounters counters) {
        return of(snapshot, snapshot.store(), cacheSize, cacheExpiry, counters);
    }

    /** Returns the generation of a snapshot whose filters alone decide. */
    public static Generation filterOnly(Snapshot snapshot, ListCounters counters) {
        return new Generation(snapshot, null, null, counters);
    }

    /** The same as {@link #exact} with another store, so that tests can count and break it. */
    static Generation of(
            Snapshot snapshot,
            @Nullable ExactStore store,
            long cacheSize,
            Duration cacheExpiry,
            ListCounters counters) {
        Cache<Key, Answer> answers =
                Caffeine.newBuilder()
                        .maximumSize(cacheSize)
                        .expireAfterWrite(cacheExpiry)
                        .executor(Runnable::run)
                        .build();
        return new Generation(snapshot, store, answers, counters);
    }

    @Override
    public boolean mightContainAddress(Key key) {
        boolean maybe = snapshot.addressFilter().mightContain(snapshot.hasher().hash(key));
        counters.addressAnswer(maybe);
        return maybe;
    }

    @Override
    public boolean mightContainDomain(byte[] bytes, int start) {
        boolean maybe =
                snapshot.domainFilter().mightContain(snapshot.hasher().hashDomain(bytes, start));
        if (maybe) {
            counters.domainAnsweredMaybe();
        }
        return maybe;
    }

    @Override
    public @Nullable Entry find(Key key, Recipients recipients)
            throws IOException, RetiredException {
        if (answers == null || store == null) {
            return new Entry(key, false);
        }
        Answer answer = answers.getIfPresent(key);
        if (answer == null) {
            answer = lookUp(store, key);
            answers.put(key, answer);
        } else {
            counters.cacheHit();
        }
        if (answer.entry() == null) {
            counters.falsePositive(key.isDomain());
        }
        return answer.entry();
    }

    private Answer lookUp(ExactStore store, Key key) throws IOException, RetiredException {
        if (!enter()) {
            throw new RetiredException();
        }
        try {
            Runnable timed = counters.lookup();
            try {
                return new Answer(store.find(key));
            } catch (IOException e) {
                failure = e;
                counters.failure();
                throw e;
            } finally {
                timed.run();
            }
        } finally {
            leave();
        }
    }

    private boolean enter() {
        int before = users.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before > 0;
    }

    private void leave() {
        if (users.decrementAndGet() == 0) {
            try {
                snapshot.close();
            } catch (IOException e) {
                // Nobody reads it any more, and whoever was the last to do so has the answer.
                return;
            }
        }
    }

    /** Takes the generation out of force; to be called once. */
    public void retire() {
        leave();
    }

    /** Returns why a lookup failed, or null when none did. */
    public @Nullable IOException failure() {
        return failure;
    }

    @Override
    public String describe() {
        SnapshotHeader header = header();
        return header.addresses()
                + " addresses, "
                + header.domains()
                + " domain entries, built "
                + (header.buildTime() == 0
                        ? "at an unrecorded time"
                        : Instant.ofEpochMilli(header.buildTime()).toString())
                + " from "
                + header.sourceDigest().substring(0, DIGEST_SHOWN);
    }

    /** Returns what the snapshot says of itself. */
    public SnapshotHeader header() {
        return snapshot.header();
    }
}
