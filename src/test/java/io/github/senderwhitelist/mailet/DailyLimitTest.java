package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.SAM;
import static io.github.senderwhitelist.mailet.TestServer.sent;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.Mailboxes.Folder;

import jakarta.mail.MessagingException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A user gets new entries in every way there is, with a real database. */
class DailyLimitTest {
    private static final String ASKED = "whitelist@here.example";

    @RegisterExtension final TestServer server = new TestServer(TestServer.living("own"));
    private final Mailboxes james = new Mailboxes();
    private final Folder inbox = james.folder(SAM, "INBOX");
    private final Folder spam = james.folder(SAM, "Spam");
    private final LearnCorrespondents sending = new LearnCorrespondents(server.shared);
    private final WhitelistByMail byMail = new WhitelistByMail(server.shared);

    @BeforeEach
    void start() throws MessagingException {
        server.start(sending, "list", "own", "maxNewPerDay", "3");
        server.start(byMail, "list", "own", "maxNewPerDay", "3");
    }

    private void write(String correspondent) throws Exception {
        sending.service(sent(SAM, "Subject: hello\n\nhello\n", correspondent));
        server.learned();
    }

    /** Sends a command and confirms it. Returns the answer. */
    private String command(String text) throws Exception {
        confirm(question(text));
        return server.outbox.messages.getLast().getContent().toString();
    }

    /** Sends a command. Returns the subject of the question whether it is meant. */
    private String question(String text) throws MessagingException {
        byMail.service(sent(SAM, "From: " + SAM + "\n\n" + text, ASKED));
        return server.outbox.messages.getLast().getSubject();
    }

    private void confirm(String question) throws MessagingException {
        byMail.service(sent(SAM, "From: " + SAM + "\nSubject: " + question + "\n\nyes", ASKED));
    }

    /** Takes a mail out of the spam folder, and waits until that is learned. */
    private void rescue(String sender, String parameters) throws Exception {
        Mailboxes.Mail mail = james.put(spam, "From: " + sender + "\r\n\r\n");
        server.listener(james, "<maxNewPerDay>3</maxNewPerDay>" + parameters)
                .event(james.move(SAM, spam, inbox, List.of(mail)));
        server.learned();
    }

    private List<String> senders() throws IOException {
        return server.lines().stream().map(line -> line.substring(0, line.indexOf('@'))).toList();
    }

    @Test
    void shouldCountTheNewEntriesOfAllWaysTogether() throws Exception {
        for (String day : List.of("monday", "tuesday")) {
            command("add a." + day + "@x.example");
            rescue("b." + day + "@x.example", "");
            write("c." + day + "@x.example");

            write("d." + day + "@x.example");
            rescue("e." + day + "@x.example", "");
            assertThat(command("add f." + day + "@x.example"))
                    .contains(": not done. You may have 1000 addresses of your own, and 3 new");
            server.now = server.now.plus(Duration.ofDays(1));
        }
        assertThat(senders())
                .containsExactlyInAnyOrder(
                        "a.monday", "b.monday", "c.monday", "a.tuesday", "b.tuesday", "c.tuesday");
    }

    @Test
    void shouldLeaveRoomForAnotherWhenOneIsRemoved() throws Exception {
        for (String sender : List.of("a", "b", "c", "d")) {
            command("add " + sender + "@x.example");
        }
        assertThat(senders()).hasSize(3);
        assertThat(command("add a@x.example")).contains("done before. Nothing has changed.");
        command("remove a@x.example");
        command("add d@x.example");
        assertThat(senders()).containsExactlyInAnyOrder("b", "c", "d");
    }

    @Test
    void shouldCountTogetherWhateverTheValidityIs() throws Exception {
        write("a@x.example");
        write("b@x.example");
        rescue("c@x.example", "<validity>10d</validity>");
        rescue("d@x.example", "<validity>10d</validity>");
        write("e@x.example");
        assertThat(senders()).containsExactlyInAnyOrder("a", "b", "c");
    }

    /** Each mail that is read at the same moment may add one more. */
    @Test
    void shouldExceedTheLimitByNoMoreThanWhatComesAtTheSameMoment() throws Exception {
        int threads = 8;
        CountDownLatch ready = new CountDownLatch(threads);
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                List<String> questions = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    questions.add(question("add u" + i + "@t" + thread + ".example"));
                }
                done.add(
                        pool.submit(
                                () -> {
                                    ready.countDown();
                                    ready.await();
                                    for (String question : questions) {
                                        confirm(question);
                                    }
                                    return true;
                                }));
            }
            for (Future<?> each : done) {
                each.get();
            }
        }
        assertThat(senders()).hasSizeBetween(3, 3 + threads - 1);
    }
}
