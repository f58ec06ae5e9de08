package io.github.senderwhitelist.it;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Puts two lists into place in turn, without a pause: the next as soon as one is active. */
final class Refreshes implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(20);

    private final ServerDirectory directory;
    private final ServerProcess process;
    private final List<List<String>> lists;
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "refreshes");
    private volatile boolean stopped;

    Refreshes(
            ServerDirectory directory,
            ServerProcess process,
            List<String> one,
            List<String> other) {
        this.directory = directory;
        this.process = process;
        this.lists = List.of(one, other);
        thread.start();
    }

    private void run() {
        try {
            while (!stopped) {
                long before = active();
                // The content differs each time. Otherwise there would be nothing to build.
                List<String> lines =
                        Stream.concat(
                                        lists.get(done.get() % 2).stream(),
                                        Stream.of("# " + UUID.randomUUID()))
                                .toList();
                directory.whitelist(lines);
                while (!stopped && active() == before) {
                    Thread.sleep(LOOK);
                }
                done.incrementAndGet();
            }
        } catch (IOException | InterruptedException e) {
            failure.set(e);
        }
    }

    /** Returns how many lists the log says have become active. */
    private long active() {
        return process.log().lines().filter(line -> line.contains("; built from ")).count();
    }

    /** Returns how many lists have come into force. */
    int done() throws IOException {
        Exception reason = failure.get();
        if (reason != null) {
            throw new IOException("no more refreshes", reason);
        }
        return done.get();
    }

    /** Waits until this many lists have come into force. */
    void await(int count) throws IOException, InterruptedException {
        while (done() < count) {
            Thread.sleep(LOOK);
        }
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
