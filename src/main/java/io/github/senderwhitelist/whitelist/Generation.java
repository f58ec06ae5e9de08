package io.github.senderwhitelist.whitelist;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.store.ExactStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A snapshot in force: its filters, its exact store, and the answers of that store that are
 * remembered. A new generation begins with nothing remembered, so no answer outlives its list.
 *
 * <p>Filters are plain memory and need no care. The store has open files: it is used only between
 * {@link #enter} and {@link #leave}, and closed when the generation has been retired and the last
 * user has left.
 */
public final class Generation {
    private final Snapshot snapshot;
    private final @Nullable ExactStore store;
    private final @Nullable Cache<Key, Answer> answers;

    /** Users of the store, and one more until the generation is retired. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** What the store said of a key. */
    private record Answer(@Nullable Entry entry) {}

    private Generation(
            Snapshot snapshot, @Nullable ExactStore store, @Nullable Cache<Key, Answer> answers) {
        this.snapshot = snapshot;
        this.store = store;
        this.answers = answers;
    }

    /**
     * The generation of a snapshot opened with its store.
     *
     * @param cacheSize how many answers are remembered
     * @param cacheExpiry how long each
     */
    public static Generation exact(Snapshot snapshot, long cacheSize, Duration cacheExpiry) {
        return of(snapshot, snapshot.store(), cacheSize, cacheExpiry);
    }

    /** The generation of a snapshot whose filters alone decide. */
    public static Generation filterOnly(Snapshot snapshot) {
        return new Generation(snapshot, null, null);
    }

    /** The same as {@link #exact} with another store, so that tests can count and break it. */
    static Generation of(
            Snapshot snapshot, @Nullable ExactStore store, long cacheSize, Duration cacheExpiry) {
        Cache<Key, Answer> answers =
                Caffeine.newBuilder()
                        .maximumSize(cacheSize)
                        .expireAfterWrite(cacheExpiry)
                        .executor(Runnable::run)
                        .build();
        return new Generation(snapshot, store, answers);
    }

    /** Whether the address of that key may be listed; false is certain. */
    boolean mightContainAddress(Key key) {
        return snapshot.addressFilter().mightContain(snapshot.hasher().hash(key));
    }

    /** Whether the domain {@code bytes[start, bytes.length)} may be listed; false is certain. */
    boolean mightContainDomain(byte[] bytes, int start) {
        return snapshot.domainFilter().mightContain(snapshot.hasher().hashDomain(bytes, start));
    }

    /**
     * What the list says of a key for which its filter said "maybe", or null when it does not hold
     * it.
     *
     * @throws RetiredException when the generation is no longer in force; the question is for the
     *     next one
     */
    @Nullable Entry find(Key key) throws IOException, RetiredException {
        if (answers == null || store == null) {
            return new Entry(key, false);
        }
        Answer known = answers.getIfPresent(key);
        if (known != null) {
            return known.entry();
        }
        if (!enter()) {
            throw new RetiredException();
        }
        try {
            Answer answer = new Answer(store.find(key));
            answers.put(key, answer);
            return answer.entry();
        } finally {
            leave();
        }
    }

    /** The generation was retired while it was asked. */
    static final class RetiredException extends Exception {
        private static final long serialVersionUID = 1L;
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
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Takes the generation out of force; to be called once. */
    public void retire() {
        leave();
    }

    /** What the snapshot says of itself. */
    public SnapshotHeader header() {
        return snapshot.header();
    }
}
