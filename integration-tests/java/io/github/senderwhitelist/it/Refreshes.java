package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.patiently;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Puts two lists into place in turn while thousands of numbered mails are sent: one by a rename, as
 * careful editors do, one in place, as a shell does.
 *
 * @param list the first list; the other one has a sender more
 */
record Refreshes(JamesServer james, List<String> list, String turncoat) {
    private static final int ROUNDS = 10;
    private static final int MAILS = 600;
    private static final int CONNECTIONS = 4;
    private static final String NUMBER = "X-Refreshes-Number";

    /**
     * Sends mails from senders in turn, mail i from sender i modulo their number, some of them
     * beside each refresh. Returns their number.
     */
    int send(List<String> senders, String recipient, String run)
            throws IOException, InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<?>> connections = new ArrayList<>();
                for (int i = 0; i < CONNECTIONS; i++) {
                    int first = round * MAILS + i;
                    int end = (round + 1) * MAILS;
                    connections.add(
                            threads.submit(
                                    () -> {
                                        send(senders, recipient, run, first, end);
                                        return null;
                                    }));
                }
                refresh(round);
                for (Future<?> connection : connections) {
                    connection.get();
                }
            }
        } catch (ExecutionException e) {
            throw new IOException("the mails could not be sent", e);
        }
        return ROUNDS * MAILS;
    }

    private void send(List<String> senders, String recipient, String run, int first, int end)
            throws IOException {
        try (SmtpClient smtp = new SmtpClient(james.smtpPort())) {
            for (int i = first; i < end; i += CONNECTIONS) {
                String number = NUMBER + ": " + run + " " + i + "\r\n";
                smtp.send(
                        senders.get(i % senders.size()),
                        List.of(recipient),
                        Letter.of(number, "Hello\r\n").bytes());
            }
        }
    }

    /** Changes the list, and waits until it is active. */
    private void refresh(int round) throws IOException {
        long before = active();
        List<String> lines = new ArrayList<>(list);
        // The content differs each time. Otherwise there would be nothing to build.
        lines.add("# " + UUID.randomUUID());
        if (round % 2 == 0) {
            lines.add(turncoat);
            james.directory().whitelist(lines);
        } else {
            Files.write(james.directory().whitelist(), lines);
        }
        patiently().until(() -> active() > before);
    }

    /** Returns how many lists the log says have become active. */
    private long active() {
        return james.log().lines().filter(line -> line.contains("; built from ")).count();
    }

    /** Returns the number of a mail, if it is of this run. */
    static Optional<Integer> number(Letter letter, String run) {
        return letter.header(NUMBER)
                .filter(value -> value.startsWith(run + " "))
                .map(value -> Integer.parseInt(value.substring(run.length() + 1)));
    }
}
