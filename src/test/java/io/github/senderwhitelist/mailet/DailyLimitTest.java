package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.SAM;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.Mailboxes.Folder;
import io.github.senderwhitelist.mailet.learned.LearningQueue;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.base.test.FakeMail;
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
    private static final String LIMIT = "3";

    @RegisterExtension final TestServer server = new TestServer(TestServer.living("own"));
    private final Mailboxes james = new Mailboxes();
    private final Folder inbox = james.folder(SAM, "INBOX");
    private final Folder spam = james.folder(SAM, "Spam");
    private final SteppedThread thread = new SteppedThread();
    private final LearningQueue queue = new LearningQueue(server.shared.metrics(), thread);
    private final LearnCorrespondents sending =
            new LearnCorrespondents(server.files, server.shared, Duration.ofMinutes(1));
    private final WhitelistByMail byMail = new WhitelistByMail(server.files, server.shared);

    @BeforeEach
    void start() throws MessagingException {
        server.start(sending, "list", "own", "maxNewPerDay", LIMIT);
        server.start(byMail, "list", "own", "maxNewPerDay", LIMIT);
        server.atTheEnd(queue::close);
    }

    private static FakeMail sent(String subject, String text, String recipient)
            throws MessagingException {
        return FakeMail.builder()
                .name("sent")
                .sender(SAM)
                .recipient(new MailAddress(recipient))
                .attribute(TestServer.user(SAM))
                .mimeMessage(
                        MimeMessageBuilder.mimeMessageBuilder()
                                .addHeader("From", SAM)
                                .setSubject(subject)
                                .setText(text))
                .build();
    }

    private void write(String correspondent) throws MessagingException {
        sending.service(sent("hello", "hello", correspondent));
    }

    /** Sends a command and confirms it. Returns the answer. */
    private String command(String text) throws Exception {
        confirm(question(text));
        return server.outbox.messages.getLast().getContent().toString();
    }

    /** Sends a command. Returns the subject of the question whether it is meant. */
    private String question(String text) throws MessagingException {
        byMail.service(sent("hello", text, "whitelist@here.example"));
        return server.outbox.messages.getLast().getSubject();
    }

    private void confirm(String question) throws MessagingException {
        byMail.service(sent("Re: " + question, "yes", "whitelist@here.example"));
    }

    /** Takes a mail out of the spam folder, and waits until that is learned. */
    private void rescue(String sender, String parameters) throws Exception {
        String xml =
                "<configuration><list>own</list><maxNewPerDay>"
                        + LIMIT
                        + "</maxNewPerDay>"
                        + parameters
                        + "</configuration>";
        LearnFromFolders moving =
                new LearnFromFolders(
                        server.files,
                        server.shared,
                        james.messages(),
                        james.manager(),
                        TestLists.configuration(xml),
                        queue);
        Mailboxes.Mail mail = james.put(spam, "From: " + sender + "\r\n\r\n");
        moving.event(james.move(SAM, spam, inbox, List.of(mail)));
        thread.finish();
    }

    private List<String> senders() throws IOException {
        List<String> senders = new ArrayList<>();
        server.list("own")
                .record()
                .page(null, 100_000)
                .forEach(entry -> senders.add(entry.key().toString()));
        return senders;
    }

    @Test
    void shouldCountTheNewEntriesOfAllWaysTogether() throws Exception {
        for (String day : List.of("monday", "tuesday")) {
            command("add a@" + day + ".example");
            rescue("b@" + day + ".example", "");
            write("c@" + day + ".example");

            write("d@" + day + ".example");
            rescue("e@" + day + ".example", "");
            assertThat(command("add f@" + day + ".example"))
                    .contains(": not done. You may have 1000 addresses of your own, and 3 new");
            server.now = server.now.plus(Duration.ofDays(1));
        }
        assertThat(senders())
                .containsExactlyInAnyOrder(
                        "a@monday.example",
                        "b@monday.example",
                        "c@monday.example",
                        "a@tuesday.example",
                        "b@tuesday.example",
                        "c@tuesday.example");
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
        assertThat(senders())
                .containsExactlyInAnyOrder("b@x.example", "c@x.example", "d@x.example");
    }

    @Test
    void shouldCountTogetherWhateverTheValidityIs() throws Exception {
        write("a@x.example");
        write("b@x.example");
        rescue("c@x.example", "<validity>10d</validity>");
        rescue("d@x.example", "<validity>10d</validity>");
        write("e@x.example");
        assertThat(senders())
                .containsExactlyInAnyOrder("a@x.example", "b@x.example", "c@x.example");
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
