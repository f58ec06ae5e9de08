package io.github.senderwhitelist.mailet.server;

import static io.github.senderwhitelist.mailet.TestServer.SAM;
import static io.github.senderwhitelist.mailet.TestServer.lines;
import static io.github.senderwhitelist.mailet.TestServer.mail;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.mailet.SenderIsWhitelisted;
import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.mailet.TestServer;

import org.apache.james.core.MailAddress;
import org.apache.mailet.PerRecipientHeaders.Header;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** What mailets and matchers count of the lines that decide, and where it is kept. */
class UsageTest {
    private static final String FLAG = "org.apache.james.rspamd.flag";
    private static final String KIM = "kim@here.example";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String FILE = "file://conf/whitelist.txt";

    @RegisterExtension final TestServer server = new TestServer(TestServer.living("own"));

    private void put(String... lines) throws IOException {
        for (String line : lines) {
            server.list("own").put(Lines.entry(line), "test");
        }
    }

    /** Returns what is kept of a list: each line with how often it was used, and has rescued. */
    private List<String> kept(String list) throws IOException {
        return Objects.requireNonNull(server.shared.usage(list))
                .flushed()
                .newest(0, false, 100)
                .stream()
                .map(
                        use ->
                                "%s %s %s %s"
                                        .formatted(
                                                use.line(),
                                                use.line().origin().label(),
                                                use.used(),
                                                use.rescued()))
                .toList();
    }

    private static FakeMail flagged(String sender, String value, String... recipients)
            throws Exception {
        FakeMail mail = mail(sender, lines("Subject: =?x\n\ntext\n"), recipients);
        for (String each : recipients) {
            mail.addSpecificHeaderForRecipient(
                    Header.builder().name(FLAG).value(value).build(), new MailAddress(each));
        }
        return mail;
    }

    @Test
    void shouldCountTheLineThatDecidedOnceForEachMail() throws Exception {
        SenderWhitelist mailet = server.mailet("own");
        put("a@x.example", "@x.example", "!b@x.example", "c@x.example until=2026-01-01");
        put("a@y.example to=" + SAM + " origin=user auth=none");

        mailet.service(mail("a@x.example", SAM, KIM));
        mailet.service(mail("a@x.example", SAM));
        mailet.service(mail("b@x.example", SAM));
        mailet.service(mail("c@x.example", SAM));
        mailet.service(mail("stranger@z.example", SAM));
        mailet.service(mail("", lines("From: a@x.example\n\n"), SAM));
        mailet.service(mail("a@y.example", lines("From: a@y.example\n\n"), SAM, KIM));

        assertThat(kept("own"))
                .containsExactlyInAnyOrder(
                        "a@x.example admin 2 0",
                        "b@x.example admin 1 0",
                        "@x.example admin 1 0",
                        "a@y.example to=" + SAM + " user 1 0");
    }

    /** Each list counts what it decided, though several are asked, and by several mailets. */
    @Test
    void shouldCountForTheListThatDecided() throws Exception {
        server.write("conf/whitelist.txt", "a@x.example\n!b@x.example\n");
        SenderWhitelist both = server.mailet("own," + FILE);
        SenderWhitelist one = server.mailet(FILE);
        put("@x.example", "b@x.example");

        both.service(mail("a@x.example", SAM));
        both.service(mail("b@x.example", SAM));
        both.service(mail("c@x.example", SAM));
        one.service(mail("a@x.example", SAM));

        assertThat(kept("own")).containsExactly("@x.example admin 1 0");
        assertThat(kept("whitelist.txt"))
                .containsExactly("a@x.example admin 2 0", "b@x.example admin 1 0");
    }

    @Test
    void shouldCountAsRescuedWhomTheScannerWouldKeepItFrom() throws Exception {
        SenderWhitelist mailet = server.mailet("own");
        SenderIsWhitelisted matcher = server.matcher("own;keptIf=" + FLAG);
        put("a@x.example", "!b@x.example");

        FakeMail mail = flagged("a@x.example", " YES, 15 points", SAM, KIM);
        mailet.service(mail);
        assertThat(matcher.match(mail)).hasSize(2);
        mail = flagged("a@x.example", "no", SAM);
        mailet.service(mail);
        matcher.match(mail);
        mail = flagged("b@x.example", "yes", SAM);
        mailet.service(mail);
        matcher.match(mail);
        matcher.match(flagged("stranger@x.example", "yes", SAM));

        assertThat(kept("own")).containsExactly("a@x.example admin 2 2", "b@x.example admin 1 0");
    }

    /** Whoever has no mailet before the matcher does not find all entries unused. */
    @Test
    void shouldCountAsUsedWhereNobodyHasJudgedBefore() throws Exception {
        SenderIsWhitelisted matcher = server.matcher("own");
        put("a@x.example");

        FakeMail mail = flagged("a@x.example", "yes", SAM);
        matcher.match(mail);
        matcher.match(mail);

        assertThat(kept("own")).containsExactly("a@x.example admin 1 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Spam-Flag: Yes\n\n", "x-spam-flag: no\nX-Spam-Flag: yes\n\n"})
    void shouldReadTheHeaderOfTheMessage(String text) throws Exception {
        SenderIsWhitelisted matcher = server.matcher("own;keptIf=X-Spam-Flag");
        put("a@x.example");

        matcher.match(mail("a@x.example", lines(text), SAM));

        assertThat(kept("own")).containsExactly("a@x.example admin 1 1");
    }

    /** Whom people remove, and whom an edit of the file removes, is forgotten. */
    @Test
    void shouldForgetTheLinesThatAreGoneFromAFile() throws Exception {
        server.write("conf/whitelist.txt", "a@x.example\nb@x.example\nc@x.example\n");
        SenderWhitelist mailet = server.mailet(FILE, "maxShrink", "100%");
        mailet.service(mail("a@x.example", SAM));
        mailet.service(mail("b@x.example", SAM));
        assertThat(kept("whitelist.txt-" + suffix())).hasSize(2);

        mailet.service(mail("c@x.example", SAM));
        server.write("conf/new.txt", "b@x.example\n");
        Files.move(
                server.folder.resolve("conf/new.txt"),
                server.folder.resolve("conf/whitelist.txt"),
                StandardCopyOption.REPLACE_EXISTING);
        server.shared.files().firstEntry().getValue().reload();

        assertThat(kept("whitelist.txt-" + suffix())).containsExactly("b@x.example admin 1 0");
    }

    /** Lists in files with the same work directory have one database for what is used of them. */
    @Test
    void shouldGoOnCountingForAListInAFileWhenAnotherIsClosed() throws Exception {
        server.write("conf/whitelist.txt", "a@x.example\n");
        server.write("conf/others.txt", "b@x.example\n");
        SenderWhitelist mailet = server.mailet(FILE);
        SenderWhitelist other = server.mailet("file://conf/others.txt");
        mailet.service(mail("a@x.example", SAM));
        assertThat(kept("whitelist.txt")).hasSize(1);
        assertThat(kept("others.txt")).isEmpty();

        other.destroy();
        mailet.service(mail("a@x.example", SAM));
        assertThat(kept("whitelist.txt")).containsExactly("a@x.example admin 2 0");
    }

    private String suffix() {
        return server.shared.files().firstKey().replaceFirst(".*-", "");
    }

    @Test
    void shouldWriteWhatWaitsWhenItStopsAndGoOnAfterTheNextStart() throws Exception {
        server.write("conf/whitelist.txt", "a@x.example\n");
        SenderWhitelist mailet = server.mailet("own," + FILE);
        put("b@x.example");
        mailet.service(mail("a@x.example", SAM));
        mailet.service(mail("b@x.example", SAM));
        server.shared.prepareToStop();
        try (Database own = Database.sqlite(server.folder.resolve("var/own.db"), TIMEOUT)) {
            assertThat(own.usage("own").newest(0, false, 9)).hasSize(1);
        }
        mailet.service(mail("a@x.example", SAM));
        mailet.destroy();
        SenderWhitelist next = server.mailet("own," + FILE);
        next.service(mail("a@x.example", SAM));

        assertThat(kept("whitelist.txt")).containsExactly("a@x.example admin 3 0");
        assertThat(kept("own")).containsExactly("b@x.example admin 1 0");
    }

    @Test
    void erasingAUserShouldTakeTheUsageAlong() throws Exception {
        server.write("conf/whitelist.txt", "a@x.example to=" + SAM + "\n");
        SenderWhitelist mailet = server.mailet("own," + FILE);
        put("b@x.example to=" + SAM + " origin=user auth=none");
        mailet.service(mail("a@x.example", SAM));
        mailet.service(mail("b@x.example", lines("From: b@x.example\n\n"), SAM));
        assertThat(kept("own")).hasSize(1);
        assertThat(kept("whitelist.txt")).hasSize(1);
        mailet.service(mail("b@x.example", lines("From: b@x.example\n\n"), SAM));

        mailet.destroy();
        server.mailet("own," + FILE);

        Key sam = Lines.key(SAM);
        assertThat(server.shared.forgetUsage(sam)).isEmpty();
        server.list("own").removeAllFor(sam, "test");

        assertThat(kept("own")).isEmpty();
        assertThat(kept("whitelist.txt")).isEmpty();
    }

    /** Mails are judged as before, and one line says why nothing is written. */
    @Test
    void shouldWarnOnceAndJudgeOnWhenUsageCannotBeWritten() throws Exception {
        server.write("conf/whitelist.txt", "a@x.example\n");
        Files.createDirectories(server.folder.resolve("var/whitelist/usage.db"));
        List<String> warnings = server.logged(ServerUsage.class, Level.WARN);
        SenderWhitelist mailet = server.mailet(FILE, "onWhitelisted", "transport");

        for (int i = 0; i < 2; i++) {
            FakeMail mail = mail("a@x.example", SAM);
            mailet.service(mail);
            assertThat(mail.getState()).isEqualTo("transport");
            server.shared.prepareToStop();
        }
        assertThat(server.shared.forgetUsage(Lines.key(SAM))).hasSize(1);
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith("Usage of whitelist ")
                .contains("conf/whitelist.txt cannot be written: ", "usage.db");
    }

    @Test
    void shouldLogOneLineOfTheDayWithTheEntriesThatRescuedMost() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(ServerUsage.class);
        logger.setLevel(Level.INFO);
        server.atTheEnd(() -> logger.setLevel(null));
        List<String> logged = server.logged(ServerUsage.class, Level.INFO);
        SenderIsWhitelisted matcher = server.matcher("own;keptIf=" + FLAG);
        put("a@x.example", "b@x.example", "c@x.example", "d@x.example");
        put("e@x.example to=" + SAM + " origin=learned auth=none");
        server.shared.prepareToStop();
        assertThat(logged).as("of no mail").isEmpty();

        for (String sender : "a b b b c c d d d d e e e e e z".split(" ", -1)) {
            String from = sender + "@x.example";
            FakeMail mail = mail(from, lines("From: " + from + "\n" + FLAG + ": yes\n\n"), SAM);
            matcher.match(mail);
        }
        server.now = TestServer.MONDAY.minus(Duration.ofDays(400));
        server.shared.prepareToStop();
        server.shared.prepareToStop();

        assertThat(logged)
                .containsExactly(
                        "Since 2026-11-23T10:00:00Z: 16 mails judged, 15 of listed senders;"
                                + " rescued for 15 recipients, most by d@x.example (4),"
                                + " b@x.example (3), c@x.example (2)");
    }
}
