package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.WhitelistMetrics;
import io.github.senderwhitelist.mailet.settings.NamedLists;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.metrics.api.Gauge;
import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;
import org.apache.mailet.base.GenericMatcher;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.apache.mailet.base.test.FakeMatcherConfig;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A server with a folder of its own, whose domain is here.example. What a test starts there ends
 * with the test, and then no list may be open.
 */
public final class TestServer implements AfterEachCallback {
    public static final Instant MONDAY = Instant.parse("2026-11-23T10:00:00Z");
    public static final String SAM = "sam@here.example";

    /** What is said of a sender whom SPF confirms. */
    public static final Attribute SPF =
            new Attribute(
                    AttributeName.of("org.apache.james.transport.mailets.spf.result"),
                    AttributeValue.of("pass"));

    public final Path folder;
    public final TestFiles files;
    public final RecordingMetricFactory metrics;
    public final Map<String, Gauge<?>> gauges = new HashMap<>();
    public final SharedLists shared;

    /** The time of what is started here. */
    public Instant now = MONDAY;

    /** What {@code mailetcontainer.xml} holds. */
    public String pipeline = "<mailetcontainer/>";

    final Outbox outbox = new Outbox();
    private final List<Runnable> ends = new ArrayList<>();

    /** Behaves like James' registry: a gauge cannot be replaced or unregistered. */
    private final class FirstStays implements GaugeRegistry {
        @Override
        public <T> GaugeRegistry register(String name, Gauge<T> gauge) {
            gauges.putIfAbsent(name, gauge);
            return this;
        }

        @Override
        public <T> SettableGauge<T> settableGauge(String name) {
            throw new UnsupportedOperationException();
        }
    }

    /** A server without {@code conf/whitelists.xml}. */
    public TestServer() {
        this("");
    }

    /**
     * A server with named lists.
     *
     * @param lists the elements {@code whitelist}
     */
    public TestServer(String lists) {
        this(lists, RecipientUsers.NONE, new RecordingMetricFactory());
    }

    public TestServer(String lists, RecipientUsers users, RecordingMetricFactory metrics) {
        try {
            folder = Files.createTempDirectory("server");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.metrics = metrics;
        files = new TestFiles(folder);
        String xml = "<whitelists>" + lists + "</whitelists>";
        NamedLists named =
                new NamedLists(
                        files,
                        (component, level) ->
                                TestLists.configuration(
                                        component.equals("whitelists") ? xml : pipeline));
        WhitelistMetrics figures = new WhitelistMetrics(metrics, new FirstStays());
        shared = new SharedLists(figures, named, users, () -> now);
    }

    /** Returns the definition of a list in an embedded database. */
    public static String living(String name) {
        return "<whitelist name=\"%s\"><source>jdbc:sqlite:file://var/%s.db</source></whitelist>"
                .formatted(name, name);
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        ends.reversed().forEach(Runnable::run);
        assertThat(shared.isEmpty()).isTrue();
        try (var paths = Files.walk(folder)) {
            for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Runs this at the end of the test. */
    public void atTheEnd(Runnable end) {
        ends.add(end);
    }

    /** Writes a file into the folder. */
    public void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(Objects.requireNonNull(path.getParent()));
        Files.writeString(path, text);
    }

    /** Starts a mailet. Names and values of its parameters take turns. */
    public <M extends GenericMailet> M start(M mailet, String... parameters)
            throws MessagingException {
        ends.add(mailet::destroy);
        FakeMailetConfig.Builder config =
                FakeMailetConfig.builder().mailetContext(outbox.context());
        for (int i = 0; i < parameters.length; i += 2) {
            config.setProperty(parameters[i], parameters[i + 1]);
        }
        mailet.init(config.build());
        return mailet;
    }

    /** Starts the mailet that judges mails by a list. */
    public SenderWhitelist mailet(String list, String... parameters) throws MessagingException {
        String[] all = new String[parameters.length + 2];
        all[0] = "whitelist";
        all[1] = list;
        System.arraycopy(parameters, 0, all, 2, parameters.length);
        return start(new SenderWhitelist(shared), all);
    }

    /** Starts a matcher. */
    public <M extends GenericMatcher> M start(M matcher, String condition)
            throws MessagingException {
        ends.add(matcher::destroy);
        matcher.init(
                FakeMatcherConfig.builder()
                        .matcherName("m")
                        .condition(condition)
                        .mailetContext(outbox.context())
                        .build());
        return matcher;
    }

    /** Starts the matcher that judges mails. */
    public SenderIsWhitelisted matcher(String condition) throws MessagingException {
        return start(new SenderIsWhitelisted(shared), condition);
    }

    /** Returns a list that is open. */
    public LivingList list(String name) {
        return Objects.requireNonNull(shared.living(name));
    }

    /** Returns the lines of the list {@code own}. */
    public List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        list("own").record().page(null, 100_000).forEach(entry -> lines.addAll(entry.lines()));
        return lines;
    }

    /** Waits until all is learned. */
    public void learned() {
        shared.learning("own").drain();
    }

    /** Starts the listener of a user's folders, which learns into {@code own}. */
    LearnFromFolders listener(Mailboxes james, String parameters) throws Exception {
        String list = parameters.startsWith("<list>") ? "" : "<list>own</list>";
        String xml = "<configuration>" + list + parameters + "</configuration>";
        return new LearnFromFolders(
                shared,
                james.messages(),
                james.manager(),
                shared.named()
                        .parameters(
                                "LearnFromFolders",
                                LearnFromFolders.values(TestLists.configuration(xml))));
    }

    /** Returns the lines that a class logs from now on, from a level on. */
    public List<String> logged(Class<?> by, Level level) {
        List<String> lines = new ArrayList<>();
        ListAppender<ILoggingEvent> appender =
                new ListAppender<>() {
                    @Override
                    protected void append(ILoggingEvent event) {
                        if (event.getLevel().isGreaterOrEqual(level)) {
                            lines.add(event.getFormattedMessage());
                        }
                    }
                };
        appender.start();
        Logger logger = (Logger) LoggerFactory.getLogger(by);
        logger.addAppender(appender);
        ends.add(() -> logger.detachAppender(appender));
        return lines;
    }

    /** Returns a mail without content in the processor root. */
    public static FakeMail mail(String sender, String... recipients) throws MessagingException {
        return FakeMail.builder()
                .name("mail")
                .sender(sender)
                .recipients(recipients)
                .state("root")
                .build();
    }

    /** Returns the message that a server makes of what it has received. */
    public static MimeMessage message(byte[] received) throws MessagingException {
        return new MimeMessage((Session) null, new ByteArrayInputStream(received));
    }

    /** Returns the message that a server makes of a text in UTF-8. */
    public static MimeMessage message(String received) throws MessagingException {
        return message(received.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a mail with a message in the processor root, of the null sender if that is empty. */
    public static FakeMail mail(String sender, MimeMessage message, String... recipients)
            throws MessagingException {
        return FakeMail.builder()
                .name("mail")
                .sender(sender.isEmpty() ? MailAddress.nullSender() : new MailAddress(sender))
                .recipients(recipients)
                .state("root")
                .mimeMessage(message)
                .build();
    }

    /** Returns the message that a server makes of lines that end as those of Java do. */
    public static MimeMessage lines(String text) throws MessagingException {
        return message(text.replace("\r\n", "\n").replace("\n", "\r\n"));
    }

    /** Returns a mail that a user has logged in to send. */
    public static FakeMail sent(String user, String lines, String... recipients)
            throws MessagingException {
        FakeMail mail = mail(user, lines(lines), recipients);
        mail.setAttribute(user(user));
        return mail;
    }

    /** Returns the attribute of a user who has logged in. */
    public static Attribute user(String name) {
        return new Attribute(Mail.SMTP_AUTH_USER, AttributeValue.of(name));
    }

    /** Returns what a mail was marked with; a minus for nothing. */
    public static String marked(Mail mail, String name) {
        return mail.getAttribute(AttributeName.of("io.github.senderwhitelist." + name))
                .map(attribute -> (String) attribute.getValue().value())
                .orElse("-");
    }

    /** Returns where a mail goes, and verdict and reason. */
    public static String said(Mail mail) {
        return mail.getState() + " " + marked(mail, "verdict") + " " + marked(mail, "reason");
    }
}
