package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.patiently;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Puts two lists into place in turn while thousands of numbered mails are sent: one by a rename, as
 * careful editors do, one in place, as a shell does.
 *
 * @param list one of the lists; the other one has the last sender, too
 * @param senders who send in turn, mail i from sender i modulo their number
 */
record Refreshes(JamesServer james, List<String> list, List<String> senders, String recipient) {
    private static final int ROUNDS = 10;
    private static final int MAILS = 600;
    private static final int CONNECTIONS = 4;
    private static final String NUMBER = "X-Refreshes-Number";

    /** Sends mails, some of them beside each refresh, and waits until all have arrived. */
    void send() throws IOException, InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<?>> connections = new ArrayList<>();
                for (int i = 0; i < CONNECTIONS; i++) {
                    int first = round * MAILS + i;
                    int end = (round + 1) * MAILS;
                    connections.add(
                            threads.submit(
                                    () -> {
                                        send(first, end);
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
        // To open a folder over IMAP while a mail is stored there may make James 3.8.1 store it
        // twice:
        // its event bus fails (ConcurrentModificationException), and the delivery is tried again.
        patiently().until(this::isQuiet);
        int arrived = 0;
        while (arrived < ROUNDS * MAILS) {
            // A slow machine gets more time as long as mails keep arriving.
            int before = arrived;
            arrived = patiently().until(() -> arrived().size(), now -> now > before);
        }
    }

    /** Returns whether the server logs nothing for half a second. */
    private boolean isQuiet() throws InterruptedException {
        int before = james.log().length();
        Thread.sleep(500);
        return james.log().length() == before;
    }

    private void send(int first, int end) throws IOException {
        try (SmtpClient smtp = new SmtpClient(james.smtpPort())) {
            for (int i = first; i < end; i += CONNECTIONS) {
                String number = NUMBER + ": " + i + "\r\n";
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
            lines.add(senders.getLast());
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

    /** Returns the folders in which mails arrived, by their numbers. */
    private Map<Integer, List<String>> arrived() throws IOException {
        Map<Integer, List<String>> arrived = new TreeMap<>();
        for (String folder : List.of(JamesServer.INBOX, JamesServer.UNLISTED)) {
            for (Letter letter : james.mails(recipient, folder)) {
                letter.header(NUMBER)
                        .map(Integer::valueOf)
                        .ifPresent(
                                number ->
                                        arrived.computeIfAbsent(number, n -> new ArrayList<>())
                                                .add(folder));
            }
        }
        return arrived;
    }

    /** Returns the folders in which mails of each sender arrived, each mail once. */
    Map<String, Set<String>> folders() throws IOException {
        Map<String, Set<String>> folders = new TreeMap<>();
        arrived()
                .forEach(
                        (number, where) -> {
                            assertThat(where).as("arrivals of mail %d", number).hasSize(1);
                            folders.computeIfAbsent(
                                            senders.get(number % senders.size()),
                                            sender -> new TreeSet<>())
                                    .addAll(where);
                        });
        return folders;
    }
}
