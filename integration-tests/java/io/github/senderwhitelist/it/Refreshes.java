package io.github.senderwhitelist.it;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Puts two lists into place in turn, without a pause, while thousands of numbered mails are sent:
 * the next as soon as one is active; one by a rename, as careful editors do, one in place, as a
 * shell does.
 */
final class Refreshes implements AutoCloseable {
    /** The least number of refreshes during which mails are sent. */
    static final int MIN = 8;

    private static final Duration LOOK = Duration.ofMillis(20);
    private static final int CONNECTIONS = 4;
    private static final String NUMBER = "X-Refreshes-Number";

    private final JamesServer james;
    private final List<List<String>> lists;
    private final AtomicInteger done = new AtomicInteger();
    private final ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS + 1);
    private final Future<Void> refreshing;
    private volatile boolean stopped;

    Refreshes(JamesServer james, List<String> one, List<String> other) {
        this.james = james;
        this.lists = List.of(one, other);
        this.refreshing = threads.submit(this::refresh);
    }

    private Void refresh() throws IOException, InterruptedException {
        while (!stopped) {
            long before = active();
            // The content differs each time. Otherwise there would be nothing to build.
            List<String> lines = new ArrayList<>(lists.get(done.get() % 2));
            lines.add("# " + UUID.randomUUID());
            if (done.get() % 2 == 0) {
                james.directory().whitelist(lines);
            } else {
                Files.write(james.directory().whitelist(), lines);
            }
            while (!stopped && active() == before) {
                Thread.sleep(LOOK);
            }
            done.incrementAndGet();
        }
        return null;
    }

    /** Returns how many lists the log says have become active. */
    private long active() {
        return james.log().lines().filter(line -> line.contains("; built from ")).count();
    }

    /** Returns how many lists have become active. */
    int done() {
        return done.get();
    }

    /**
     * Sends mails from senders in turn, mail i from sender i modulo their number. A share of them
     * is held until the next refresh has become active, so that refreshes come between.
     */
    void send(List<String> senders, String recipient, String run, int count)
            throws IOException, InterruptedException {
        List<Callable<Void>> connections = new ArrayList<>();
        for (int first = 0; first < CONNECTIONS; first++) {
            int from = first;
            connections.add(
                    () -> {
                        try (SmtpClient smtp = new SmtpClient(james.smtpPort())) {
                            for (int i = from; i < count; i += CONNECTIONS) {
                                await((int) ((long) i * MIN / count));
                                String number = NUMBER + ": " + run + " " + i + "\r\n";
                                smtp.send(
                                        senders.get(i % senders.size()),
                                        List.of(recipient),
                                        Letter.of(number, "Hello\r\n").bytes());
                            }
                            await(MIN);
                            return null;
                        }
                    });
        }
        try {
            for (Future<Void> sent : threads.invokeAll(connections)) {
                sent.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("the mails could not be sent", e);
        }
    }

    private void await(int count) throws IOException, InterruptedException {
        while (done() < count) {
            if (refreshing.isDone()) {
                throw new IOException("no more refreshes: " + refreshing);
            }
            Thread.sleep(LOOK);
        }
    }

    /** Returns the number of a mail, if it is of this run. */
    static Optional<Integer> number(Letter letter, String run) {
        return letter.header(NUMBER)
                .filter(value -> value.startsWith(run + " "))
                .map(value -> Integer.parseInt(value.substring(run.length() + 1)));
    }

    @Override
    public void close() {
        stopped = true;
        threads.close();
    }
}
