package io.github.senderwhitelist.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Thousands of numbered mails, over a few connections that stay open. */
final class Bulk {
    /** The least number of refreshes during which the mails are sent. */
    static final int REFRESHES = 8;

    private static final int CONNECTIONS = 4;
    private static final String NUMBER = "X-Bulk-Number";

    private Bulk() {}

    /**
     * Sends mails from senders in turn, mail i from sender i modulo their number. A share of them
     * is held until the next refresh has come into force, so that refreshes come between.
     */
    static void send(
            int port,
            List<String> senders,
            String recipient,
            String run,
            int count,
            Refreshes refreshes)
            throws IOException, InterruptedException {
        List<Callable<Integer>> connections = new ArrayList<>();
        for (int first = 0; first < CONNECTIONS; first++) {
            int from = first;
            connections.add(
                    () -> {
                        try (SmtpClient smtp = new SmtpClient(port)) {
                            for (int i = from; i < count; i += CONNECTIONS) {
                                refreshes.await((int) ((long) i * REFRESHES / count));
                                String sender = senders.get(i % senders.size());
                                Letter letter =
                                        Letter.of(
                                                NUMBER + ": " + run + " " + i + "\r\n",
                                                "Hello\r\n");
                                smtp.send(sender, List.of(recipient), letter.bytes());
                            }
                            refreshes.await(REFRESHES);
                            return from;
                        }
                    });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            for (Future<Integer> sent : threads.invokeAll(connections)) {
                sent.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("the mails could not be sent", e);
        }
    }

    /** Returns the number of a mail, if it is of this run. */
    static Optional<Integer> number(Letter letter, String run) {
        return letter.header(NUMBER)
                .filter(value -> value.startsWith(run + " "))
                .map(value -> Integer.parseInt(value.substring(run.length() + 1)));
    }
}
