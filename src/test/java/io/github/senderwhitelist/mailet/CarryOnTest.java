package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.said;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;

import org.apache.james.lifecycle.api.Disposable;
import org.apache.james.metrics.api.Metric;
import org.apache.james.metrics.api.TimeMetric;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Tests that a mail goes on whatever fails, once for each recipient, and never as listed. */
class CarryOnTest {
    private static final Logger VERDICTS = (Logger) LoggerFactory.getLogger(SenderWhitelist.class);

    private static final RecipientUsers LOST =
            recipient -> {
                if (recipient.local().startsWith("lost")) {
                    throw new IOException("the table does not answer");
                }
                return null;
            };

    private final Recorder metrics = new Recorder();

    @RegisterExtension final TestServer server = new TestServer("", LOST, metrics);
    private final Outbox outbox = server.outbox;
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    /** Metrics that throw when they are told to. */
    private static final class Recorder extends RecordingMetricFactory {
        boolean broken;

        private void requireWhole() {
            if (broken) {
                throw new IllegalStateException("no metrics");
            }
        }

        @Override
        public Metric generate(String name) {
            Metric metric = super.generate(name);
            InvocationHandler handler =
                    (proxy, method, arguments) -> {
                        requireWhole();
                        return method.invoke(metric, arguments);
                    };
            return (Metric) proxy(handler, Metric.class);
        }

        @Override
        public TimeMetric timer(String name) {
            requireWhole();
            return super.timer(name);
        }
    }

    private static Object proxy(InvocationHandler handler, Class<?>... types) {
        return Proxy.newProxyInstance(CarryOnTest.class.getClassLoader(), types, handler);
    }

    @BeforeEach
    void list() throws IOException {
        server.write("list.txt", "alice@example.com\nbob@example.com to=@a.example\n");
        log.start();
        VERDICTS.addAppender(log);
        server.atTheEnd(() -> VERDICTS.detachAppender(log));
    }

    private SenderWhitelist mailet(String... parameters) throws MessagingException {
        List<String> all = new ArrayList<>(List.of(parameters));
        all.addAll(List.of("onWhitelisted", "transport", "onNotWhitelisted", "spam"));
        return server.mailet("file://list.txt", all.toArray(String[]::new));
    }

    private SenderIsWhitelisted matcher(String options) throws MessagingException {
        return server.matcher("file://list.txt" + options);
    }

    private static FakeMail mail(String sender) throws MessagingException {
        return TestServer.mail(sender, "x@a.example", "y@b.example");
    }

    /** Failures are logged in one line each, and with their stacks only at DEBUG. */
    private List<String> warnings() {
        List<ILoggingEvent> warnings =
                log.list.stream()
                        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                        .toList();
        assertThat(warnings).allMatch(event -> event.getThrowableProxy() == null);
        return warnings.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    // Before init() and after destroy()

    @ParameterizedTest
    @ValueSource(strings = {"notListed", "listed"})
    void shouldCarryOnAsUnavailableWhenItIsNotOpen(String onFailure) throws Exception {
        SenderWhitelist mailet = mailet("onLookupFailure", onFailure);
        mailet.destroy();
        Mail mail = mail("alice@example.com");
        mailet.service(mail);

        assertThat(said(mail)).isEqualTo("spam unavailable unavailable");
        assertThat(mail.getRecipients()).hasSize(2);
        assertThat(metrics.countFor("senderWhitelist.verdict.unavailable")).isOne();
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("mail", "its lists are not open", "treated as not listed")
                .doesNotContain("\n");
        SenderIsWhitelisted matcher = matcher(";onLookupFailure=" + onFailure);
        matcher.destroy();
        for (SenderIsWhitelisted each : List.of(matcher, new SenderIsWhitelisted(server.shared))) {
            Mail other = mail("alice@example.com");
            assertThat(each.match(other)).isEmpty();
            assertThat(said(other)).isEqualTo("root unavailable unavailable");
        }
        assertThat(warnings()).hasSize(3);
        Mail before = mail("alice@example.com");
        new SenderWhitelist(server.shared).service(before);
        assertThat(said(before)).isEqualTo("root unavailable unavailable");
    }

    // Our own errors

    /** Errors that defects, a full stack and a full heap cause. */
    static Stream<Throwable> errors() {
        return Stream.of(
                new IllegalStateException("a bug\nin two lines"),
                new StackOverflowError(),
                new OutOfMemoryError("test"),
                new InternalError("a fault occurred in an unsafe memory access operation"),
                new NoClassDefFoundError("x/Y"),
                new AssertionError("x"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void shouldNeverListForAnErrorOfItsOwn(Throwable error) throws Exception {
        for (String sender : List.of("from", "either", "both")) {
            FakeMail mail = mail("alice@example.com");
            mailet("sender", sender, "onLookupFailure", "listed").service(unreadable(mail, error));
            FakeMail matched = mail("alice@example.com");
            SenderIsWhitelisted matcher = matcher(";onLookupFailure=listed;sender=" + sender);

            assertThat(said(mail)).isEqualTo("spam unavailable unavailable");
            assertThat(mail.getRecipients()).hasSize(2);
            assertThat(matcher.match(unreadable(matched, error))).isEmpty();
            assertThat(said(matched)).isEqualTo("root unavailable unavailable");
        }
        assertThat(metrics.countFor("senderWhitelist.verdict.unavailable")).isEqualTo(6);
        assertThat(metrics.countFor("senderWhitelist.verdict.listed")).isZero();
        String kind = error.getClass().getSimpleName();
        assertThat(warnings())
                .hasSize(6)
                .allMatch(line -> line.matches(".*mail.*please report it.*treated as not listed.*"))
                .allMatch(line -> line.contains(kind));
    }

    private static Mail unreadable(Mail mail, Throwable error) {
        return failing(mail, Set.of("getMessage"), error);
    }

    /** A mail that fails in these methods, as do its copies. */
    static Mail failing(Mail mail, Set<String> methods, Throwable failure) {
        InvocationHandler handler =
                (proxy, method, arguments) -> {
                    if (methods.contains(method.getName())) {
                        throw failure;
                    }
                    if (method.getName().equals("dispose")) {
                        return null;
                    }
                    try {
                        Object result = method.invoke(mail, arguments);
                        return method.getName().equals("duplicate") && result instanceof Mail copy
                                ? failing(copy, methods, failure)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                };
        return (Mail) proxy(handler, Mail.class, Disposable.class);
    }

    @ParameterizedTest
    @TableSource
    void shouldCarryOnWhateverTheMailThrows(String method) throws Exception {
        SenderWhitelist mailet = mailet("requireAuthentication", "any");
        SenderIsWhitelisted matcher = matcher(";requireAuthentication=any");
        for (String sender : List.of("alice@example.com", "bob@example.com", "eve@example.com")) {
            FakeMail mail = mail(sender);
            Mail failing = failing(mail, Set.of(method), new StackOverflowError());
            mailet.service(failing);

            assertThat(mail.getState()).isEqualTo("spam");
            assertThat(mail.getRecipients()).hasSize(2);
            assertThat(matcher.match(failing)).isEmpty();
        }
        assertThat(outbox.sent).isEmpty();
    }

    // What fails after a part was sent

    private void assertSplitOnce(FakeMail mail) {
        assertThat(outbox.sent)
                .singleElement()
                .returns("transport", Mail::getState)
                .returns("[x@a.example]", sent -> sent.getRecipients().toString());
        assertThat(mail.getState()).isEqualTo("spam");
        assertThat(mail.getRecipients()).hasToString("[y@b.example]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dispose", "removeAttribute", "getName"})
    void shouldDoubleNobodyWhateverFailsAfterwards(String method) throws Exception {
        SenderWhitelist mailet = mailet();
        FakeMail mail = mail("bob@example.com");
        mailet.service(failing(mail, Set.of(method), new StackOverflowError()));

        assertSplitOnce(mail);
    }

    @Test
    void shouldDoubleNobodyWhenTheVerdictCannotBeCounted() throws Exception {
        SenderWhitelist mailet = mailet();
        metrics.broken = true;
        FakeMail mail = mail("bob@example.com");
        mailet.service(mail);

        assertSplitOnce(mail);
        assertThat(said(mail)).isEqualTo("spam not-listed stranger");
    }

    /** One recipient may get the mail twice, which cannot be avoided here; but no mail is lost. */
    @Test
    void shouldCarryOnWhenTheOtherPartCannotBeTakenOff() throws Exception {
        FakeMail mail = mail("bob@example.com");
        Mail copy = mail.duplicate();
        Mail stubborn = failing(mail, Set.of("setRecipients"), new StackOverflowError());
        InvocationHandler handler =
                (proxy, method, arguments) ->
                        method.invoke(
                                method.getName().equals("duplicate") ? copy : stubborn, arguments);
        mailet().service((Mail) proxy(handler, Mail.class));

        assertThat(outbox.sent).hasSize(1);
        assertThat(mail.getState()).isEqualTo("spam");
        assertThat(mail.getRecipients()).hasSize(2);
    }

    /** James' metrics time lookups, and may fail. */
    @Test
    void shouldDecideAsEverWhenMetricsFail() throws Exception {
        SenderWhitelist mailet = mailet();
        metrics.broken = true;
        Mail mail = mail("alice@example.com");
        mailet.service(mail);
        SenderIsWhitelisted matcher = matcher("");
        Mail matched = mail("alice@example.com");

        assertThat(said(mail)).isEqualTo("transport listed listed");
        assertThat(matcher.match(matched)).hasSize(2);
        assertThat(said(matched)).isEqualTo("root listed listed");
        matcher.destroy();
    }

    /**
     * The reason of one recipient does not hide that there was no answer for the others. The marks
     * of a mail that James splits have no room for that, but the log has.
     */
    @ParameterizedTest
    @CsvSource({
        "notListed, spam, x@c.example, x@a.example",
        "listed, transport, x@a.example, x@c.example"
    })
    void shouldMarkOrLogThatSomeRecipientsAreUnavailable(
            String onFailure, String state, String same, String other) throws Exception {
        FakeMail mail =
                TestServer.mail("bob@example.com", same, "lost1@b.example", "lost2@b.example");
        mailet("onLookupFailure", onFailure).service(mail);
        FakeMail matched =
                TestServer.mail("bob@example.com", other, "lost1@b.example", "lost2@b.example");
        SenderIsWhitelisted matcher = matcher(";onLookupFailure=" + onFailure);

        assertThat(said(mail)).isEqualTo(state + " unavailable unavailable");
        assertThat(matcher.match(matched)).hasSize(onFailure.equals("listed") ? 2 : 1);
        assertThat(said(matched)).isEqualTo("root listed-for-some listed-for-some");
        String treated = onFailure.equals("listed") ? "treated as listed" : "treated as not listed";
        assertThat(warnings())
                .hasSize(2)
                .allMatch(line -> line.contains("the table does not answer. It is " + treated));
    }

    /** The envelope is in each line of the log; here it is not the address that was denied. */
    @Test
    void shouldLogWhichAddressTheAdministratorDenies() throws Exception {
        server.write("list.txt", "!@evil.example\neve@evil.example to=x@a.example origin=user\n");
        Mail mail =
                TestServer.mail(
                        "x@mailer.example",
                        TestServer.message("From: eve@evil.example\r\n\r\n"),
                        "x@a.example",
                        "y@b.example");
        Level before = VERDICTS.getLevel();
        VERDICTS.setLevel(Level.DEBUG);
        try {
            mailet().service(mail);
        } finally {
            VERDICTS.setLevel(before);
        }

        assertThat(log.list)
                .singleElement()
                .asString()
                .contains(
                        "sender=<x@mailer.example> verdict=not-listed reason=denied"
                                + " entry=!@evil.example denies=eve@evil.example");
    }
}
