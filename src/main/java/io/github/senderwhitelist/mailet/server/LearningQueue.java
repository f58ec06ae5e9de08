package io.github.senderwhitelist.mailet.server;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.util.concurrent.RateLimiter;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.learning.Learner.Learned;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A queue of what is to be learned into a list, which a thread of its own writes in the order in
 * which it came. It is bounded, and a user has a share of it only, so there is always room for
 * others. What was and was not learned is counted, and the latter logged: once a minute as a
 * warning, so that nobody can fill the log.
 */
public final class LearningQueue {
    private static final Logger LOGGER = LoggerFactory.getLogger(LearningQueue.class);

    /** How much waits at most, and how much of it may be one user's. */
    private static final int MAX_WAITING = 20_000;

    private static final int SHARE = 200;

    /** Less than a server may take to stop, in which other things happen, too. */
    private static final Duration MAX_DRAIN = Duration.ofSeconds(2);

    private static final String STOPS = "the server stops";

    private final WhitelistMetrics metrics;
    private final RateLimiter warnings = RateLimiter.create(1 / 60.0);
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("whitelist learning").daemon().factory());

    /** Users, each as often as something of theirs waits. */
    private final Multiset<Key> waiting = HashMultiset.create();

    private volatile boolean stops;

    LearningQueue(WhitelistMetrics metrics) {
        this.metrics = metrics;
    }

    /** Adds a task about some senders at most. If it fails, part of it may have been written. */
    public void add(Key user, int senders, Callable<Learned> task) {
        if (!enter(user)) {
            giveUp(user, senders, "too much is waiting to be learned from");
            return;
        }
        try {
            thread.execute(() -> run(user, senders, task));
        } catch (RejectedExecutionException e) {
            leave(user);
            giveUp(user, senders, STOPS);
        }
    }

    private synchronized boolean enter(Key user) {
        return waiting.size() < MAX_WAITING && waiting.count(user) < SHARE && waiting.add(user);
    }

    private synchronized void leave(Key user) {
        waiting.remove(user);
    }

    private void run(Key user, int senders, Callable<Learned> task) {
        try {
            if (stops) {
                throw new IOException(STOPS);
            }
            Learned learned = task.call();
            metrics.add("learning.learned", learned.added());
            metrics.add("learning.refused", learned.refused());
            if (learned.refused() > 0) {
                warn(user, "more new senders than maxNewPerDay and maxPerUser allow");
            }
        } catch (Throwable e) {
            LOGGER.debug("Learning failed", e);
            String why = e instanceof IOException ? e.getMessage() : e.toString();
            giveUp(user, senders, String.valueOf(why));
        } finally {
            leave(user);
        }
    }

    private void giveUp(Key user, int senders, String why) {
        metrics.add("learning.failed", senders);
        warn(user, why);
    }

    private void warn(Key user, String why) {
        LOGGER.atLevel(warnings.tryAcquire() ? Level.WARN : Level.DEBUG)
                .log("Not all that users did was learned from; of {}: {}", user, why);
    }

    /** Waits until all is written that was added before, if it is within some seconds. */
    public boolean drain() {
        try {
            thread.submit(() -> {}).get(MAX_DRAIN.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
            LOGGER.debug("Not all that was waiting is written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Gives up what waits and ends the thread. */
    void close() {
        stops = true;
        // Without an interrupt, which would close the files that are being read.
        thread.shutdown();
    }
}
