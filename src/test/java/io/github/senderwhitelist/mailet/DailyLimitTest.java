package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.Mailboxes.Folder;
import io.github.senderwhitelist.mailet.learned.FolderParameters;
import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.server.SharedLists;

import jakarta.mail.Message;
import jakarta.mail.MessagingException;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.james.server.core.configuration.FileConfigurationProvider;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.MailetContext;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A user gets new entries in every way there is, with a real database. */
class DailyLimitTest {
    private static final String XML =
            "<whitelists><whitelist name=\"own\"><source>jdbc:sqlite:file://var/lists.db</source>"
                    + "</whitelist></whitelists>";
    private static final String SAM = "sam@here.example";
    private static final String LIMIT = "3";

    @TempDir Path folder;
    private final SharedLists shared = TestLists.defined(XML);
    private final List<Message> answers = new ArrayList<>();
    private final Mailboxes james = new Mailboxes();
    private final Folder inbox = james.folder(SAM, "INBOX");
    private final Folder spam = james.folder(SAM, "Spam");
    private final SteppedThread thread = new SteppedThread();
    private final LearningQueue queue = new LearningQueue(Duration.ofMillis(1), thread);
    private Instant now = Instant.parse("2026-11-23T10:00:00Z");
    private LearnCorrespondents sending =
            new LearnCorrespondents(files(), shared, () -> now, Duration.ofMillis(1));
    private WhitelistByMail byMail = new WhitelistByMail(files(), shared, () -> now);

    private TestFiles files() {
        return new TestFiles(folder);
    }

    @BeforeEach
    void start() throws MessagingException {
        sending = new LearnCorrespondents(files(), shared, () -> now, Duration.ofMillis(1));
        sending.init(config("learnTimeout", "1m", "maxNewPerDay", LIMIT));
        byMail = new WhitelistByMail(files(), shared, () -> now);
        byMail.init(config("maxNewPerDay", LIMIT));
    }

    private FakeMailetConfig config(String... parameters) {
        FakeMailetConfig.Builder config = FakeMailetConfig.builder().mailetContext(context());
        return TestLists.set(config.setProperty("list", "own"), parameters).build();
    }

    /** Returns a context of a server that knows its domain, and keeps the mails that it sends. */
    private MailetContext context() {
        return (MailetContext)
                Proxy.newProxyInstance(
                        MailetContext.class.getClassLoader(),
                        new Class<?>[] {MailetContext.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("isLocalServer")) {
                                return Domain.of("here.example").equals(arguments[0]);
                            }
                            if (method.getName().equals("sendMail")) {
                                synchronized (answers) {
                                    answers.add((Message) arguments[2]);
                                }
                            }
                            return null;
                        });
    }

    @AfterEach
    void stop() {
        queue.close();
        sending.destroy();
        byMail.destroy();
        assertThat(shared.isEmpty()).isTrue();
    }

    private static FakeMail sent(String subject, String text, String recipient)
            throws MessagingException {
        return FakeMail.builder()
                .name("sent")
                .sender(SAM)
                .recipient(new MailAddress(recipient))
                .attribute(new Attribute(Mail.SMTP_AUTH_USER, AttributeValue.of(SAM)))
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
        return answers.getLast().getContent().toString();
    }

    /** Sends a command. Returns the subject of the question whether it is meant. */
    private String question(String text) throws MessagingException {
        byMail.service(sent("hello", text, "whitelist@here.example"));
        return answers.getLast().getSubject();
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
        FolderParameters parsed =
                LearnFromFolders.parse(
                        files(),
                        shared,
                        FileConfigurationProvider.getConfig(
                                new ByteArrayInputStream(xml.getBytes(UTF_8))));
        LearnFromFolders moving =
                new LearnFromFolders(
                        shared, james.messages(), james.manager(), parsed, () -> now, queue);
        Mailboxes.Mail mail = james.put(spam, "From: " + sender + "\r\n\r\n");
        moving.event(james.move(SAM, spam, inbox, List.of(mail)));
        thread.finish();
    }

    private List<String> senders() throws IOException {
        LivingList list = Objects.requireNonNull(shared.living("own"));
        List<String> senders = new ArrayList<>();
        list.record().forEach(entry -> senders.add(entry.key().toString()));
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
                    .isEqualTo(
                            "add f@"
                                    + day
                                    + ".example: not done. You have had 3 new addresses today,"
                                    + " with those that you wrote to and whose mails you moved,"
                                    + " and more are not allowed in a day. Send it again"
                                    + " tomorrow.\r\n");
            now = now.plus(Duration.ofDays(1));
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
        command("add a@x.example\nadd b@x.example\nadd c@x.example\nadd d@x.example");
        assertThat(senders()).hasSize(3);
        assertThat(command("add a@x.example")).contains("done before. Nothing has changed.");
        command("remove a@x.example\nadd d@x.example");
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
                String host = "@t" + thread + ".example\n";
                String question =
                        question(
                                IntStream.range(0, 8)
                                        .mapToObj(i -> "add u" + i + host)
                                        .collect(Collectors.joining()));
                done.add(
                        pool.submit(
                                () -> {
                                    ready.countDown();
                                    ready.await();
                                    confirm(question);
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
