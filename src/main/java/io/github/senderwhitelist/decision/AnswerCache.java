package io.github.senderwhitelist.decision;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A cache of the answers of an exact store, with the counts of lookups. Safe for use by any number
 * of threads.
 */
public final class AnswerCache {
    /** Null when nothing is cached. */
    private final @Nullable Cache<Pair, Optional<Entry>> answers;

    private final ListCounters counters;

    /** The failure of the last lookup that failed, or null. */
    private volatile @Nullable IOException failure;

    /** What questions are put to. */
    @FunctionalInterface
    public interface Store {
        /** Returns the entry for a sender and some recipients, or all if {@code to} is null. */
        @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException;
    }

    /**
     * Makes an empty cache.
     *
     * @param size how many answers are cached at most; 0 caches none
     * @param expiry how long an answer is cached
     */
    public AnswerCache(long size, Duration expiry, ListCounters counters) {
        this.counters = counters;
        this.answers = size == 0 ? null : newCache(size, expiry);
    }

    private static Cache<Pair, Optional<Entry>> newCache(long size, Duration expiry) {
        return Caffeine.newBuilder()
                .maximumSize(size)
                .expireAfterWrite(expiry)
                .executor(Runnable::run)
                .build();
    }

    /** Returns the answer to a question, from memory if it is there. */
    public @Nullable Entry find(Key key, @Nullable Key to, Store store)
            throws IOException, RetiredException {
        if (answers == null) {
            return counted(key, to, lookUp(key, to, store));
        }
        Pair asked = new Pair(key, to);
        Optional<Entry> answer = answers.getIfPresent(asked);
        if (answer == null) {
            answer = Optional.ofNullable(lookUp(key, to, store));
            answers.put(asked, answer);
        } else {
            counters.cacheHit();
        }
        return counted(key, to, answer.orElse(null));
    }

    private @Nullable Entry counted(Key key, @Nullable Key to, @Nullable Entry entry) {
        if (entry == null && to == null) {
            counters.falsePositive(key.isDomain());
        }
        return entry;
    }

    private @Nullable Entry lookUp(Key key, @Nullable Key to, Store store)
            throws IOException, RetiredException {
        Runnable timed = counters.lookup();
        try {
            return store.find(key, to);
        } catch (IOException e) {
            failure = e;
            counters.failure();
            throw e;
        } finally {
            timed.run();
        }
    }

    /** Returns the failure of the last lookup that failed, or null when none has. */
    public @Nullable IOException failure() {
        return failure;
    }
}
