package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Numbered mails to sam without end, from senders in turn; a few are under way at any time. */
final class MailFlow implements AutoCloseable {
    private static final int UNDER_WAY = 10;
    private static final String NUMBER = "X-Flow-Number";

    private final JamesServer james;
    private final List<String> senders;
    private final String name = UUID.randomUUID().toString();
    private final AtomicInteger sent = new AtomicInteger();
    private final Semaphore places = new Semaphore(UNDER_WAY);
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "mail flow");
    private volatile boolean stopped;
    private int counted;

    /** A mail that has arrived: its number, its sender, its folder, the verdict it carries. */
    record Arrived(int number, String sender, String folder, String verdict) {}

    MailFlow(JamesServer james, List<String> senders) {
        this.james = james;
        this.senders = senders;
        thread.start();
    }

    private void run() {
        try (SmtpClient smtp = new SmtpClient(james.smtpPort())) {
            while (!stopped) {
                places.acquire();
                int number = sent.get();
                Letter letter =
                        Letter.of(
                                "Subject: flow\r\n" + NUMBER + ": " + name + " " + number + "\r\n",
                                "Hello\r\n");
                smtp.send(sender(number), List.of(SAM), letter.bytes());
                sent.incrementAndGet();
            }
        } catch (IOException | InterruptedException e) {
            failure.set(e);
        }
    }

    private String sender(int number) {
        return senders.get(number % senders.size());
    }

    /** How many mails the server has taken over; their numbers begin at 0. */
    int sent() throws IOException {
        Exception reason = failure.get();
        if (reason != null) {
            throw new IOException("the server does not take mails any more", reason);
        }
        return sent.get();
    }

    /** What has arrived so far, doubles included. */
    List<Arrived> arrived() throws IOException {
        List<Arrived> arrived = new ArrayList<>();
        for (String folder : List.of(INBOX, UNLISTED)) {
            for (Letter letter : james.mails(SAM, folder)) {
                String[] number = letter.header(NUMBER).orElse(" ").split(" ", 2);
                if (number[0].equals(name)) {
                    int n = Integer.parseInt(number[1]);
                    arrived.add(new Arrived(n, sender(n), folder, letter.verdict().orElse("none")));
                }
            }
        }
        places.release(Math.max(0, arrived.size() - counted));
        counted = Math.max(counted, arrived.size());
        sent();
        return arrived;
    }

    /** The verdict on the last mail of this sender that has arrived. */
    String latest(String sender) throws IOException {
        return arrived().stream()
                .filter(mail -> mail.sender().equals(sender))
                .max((a, b) -> Integer.compare(a.number(), b.number()))
                .map(Arrived::verdict)
                .orElse("none");
    }

    /** Sends no more; returns when the last mail has been taken over. */
    void stop() {
        stopped = true;
        places.release(UNDER_WAY);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
