package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.tools.SmallLists;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.AttributeName;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Mails that a mailet judges by a file and by lists in a database. */
class LivingMailsTest {
    private static final String XML =
            """
            <whitelists>
              <whitelist name="own">
                <source>jdbc:sqlite:file://var/lists.db</source>
              </whitelist>
              <whitelist name="second">
                <source>jdbc:sqlite:file://var/lists.db</source>
              </whitelist>
            </whitelists>
            """;

    @TempDir Path folder;
    private SharedLists shared = TestLists.defined(XML);
    private SenderWhitelist mailet = new SenderWhitelist(new TestFiles(Path.of("")), shared);

    @BeforeEach
    void open() throws IOException, MessagingException {
        Files.writeString(
                folder.resolve("base.txt"), "@partner.example\n!mallory@stranger.example\n");
        start();
    }

    private void start() throws MessagingException {
        start(XML);
    }

    private void start(String xml) throws MessagingException {
        shared = TestLists.defined(xml);
        mailet = new SenderWhitelist(new TestFiles(folder), shared);
        mailet.init(
                FakeMailetConfig.builder()
                        .setProperty("whitelist", "file://base.txt,own,second")
                        .build());
    }

    @AfterEach
    void close() {
        mailet.destroy();
        assertThat(shared.isEmpty()).isTrue();
    }

    private LivingList list(String name) {
        return Objects.requireNonNull(shared.living(name));
    }

    private String said(String sender) throws MessagingException {
        return said(sender, sender);
    }

    private String said(String sender, String from) throws MessagingException {
        FakeMail mail =
                FakeMail.builder()
                        .name("m")
                        .sender(sender)
                        .recipient("u@here.ex")
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder().addHeader("From", from))
                        .build();
        mailet.service(mail);
        return attribute(mail, "verdict") + " " + attribute(mail, "reason");
    }

    private static String attribute(FakeMail mail, String name) {
        return mail.getAttribute(AttributeName.of("io.github.senderwhitelist." + name))
                .map(attribute -> (String) attribute.getValue().value())
                .orElse("-");
    }

    private static Entry entry(String sender, boolean denied) {
        return new Entry(SmallLists.address(sender).key(), denied);
    }

    @Test
    void shouldJudgeByTheEntriesOfTheMoment() throws Exception {
        assertThat(said("alice@stranger.example")).isEqualTo("not-listed stranger");
        assertThat(said("bob@partner.example")).isEqualTo("listed listed");

        list("own").put(entry("alice@stranger.example", false), "test");
        list("second").put(entry("bob@partner.example", true), "test");
        list("own").put(entry("mallory@stranger.example", false), "test");
        assertThat(said("alice@stranger.example")).isEqualTo("listed listed");
        assertThat(said("bob@partner.example")).isEqualTo("not-listed denied");
        assertThat(said("mallory@stranger.example")).isEqualTo("not-listed denied");

        list("second")
                .remove(Origin.ADMIN, SmallLists.address("bob@partner.example").key(), null, "");
        list("own")
                .remove(Origin.ADMIN, SmallLists.address("alice@stranger.example").key(), null, "");
        assertThat(said("alice@stranger.example")).isEqualTo("not-listed stranger");
        assertThat(said("bob@partner.example")).isEqualTo("listed listed");
    }

    @Test
    void shouldCompareUsersEntriesWithTheAddressThatUsersSee() throws Exception {
        Rule users = new Rule(false, null, null, null, Origin.USER, "");
        Key user = SmallLists.address("u@here.ex").key();
        Key friend = SmallLists.address("friend@stranger.example").key();
        list("own").put(new Entry(friend, user, List.of(users)), "u@here.ex");
        assertThat(said("bounces-17@mailer.example", "Friend <friend@stranger.example>"))
                .isEqualTo("listed listed");
        assertThat(said("friend@stranger.example", "spammer@mailer.example"))
                .isEqualTo("not-listed stranger");
        // The same organisation, so users may have either address.
        assertThat(said("friend@stranger.example", "other@mail.stranger.example"))
                .isEqualTo("listed listed");
        assertThat(said("friend@stranger.example", "a@x.example, b@y.example"))
                .isEqualTo("not-listed stranger");

        Rule denial = new Rule(true, null, null, null, Origin.USER, "");
        Key news = SmallLists.address("news@partner.example").key();
        list("second").put(new Entry(news, user, List.of(denial)), "u@here.ex");
        assertThat(said("bounce@partner.example", "news@partner.example"))
                .isEqualTo("not-listed denied");
        assertThat(said("bounce@partner.example", "other@partner.example"))
                .isEqualTo("listed listed");

        list("own").put(entry("friend@stranger.example", false), "admin");
        assertThat(said("bounces-17@mailer.example", "spammer@mailer.example"))
                .isEqualTo("not-listed stranger");
        assertThat(said("friend@stranger.example", "spammer@mailer.example"))
                .isEqualTo("listed listed");
    }

    /** A list that is closed folds its changes, so a base has them, kept or not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepEntriesAndAnswerStrangersByTheFilter(boolean keepsBase) throws Exception {
        for (int i = 0; i < 400; i++) {
            list("own").put(entry("user" + i + "@many.example", false), "test");
        }
        close();
        if (!keepsBase) {
            try (DirectoryStream<Path> bases =
                    Files.newDirectoryStream(folder.resolve("var/whitelist"), "own-*.base")) {
                Files.delete(bases.iterator().next());
            }
        }
        start();

        long before = list("own").counters().get(Count.LOOKUPS);
        for (int i = 0; i < 400; i++) {
            assertThat(said("user" + i + "@many.example")).isEqualTo("listed listed");
            assertThat(said("other" + i + "@many.example")).isEqualTo("not-listed stranger");
        }
        // Those listed by the base, and few of the others: the rate is 0.001.
        assertThat(list("own").counters().get(Count.LOOKUPS) - before).isBetween(400L, 430L);
    }

    @ParameterizedTest
    @CsvSource({"lastKnown, listed listed", "unavailable, unavailable unavailable"})
    void shouldJudgeByWhatWasKnownLastWhileTheDatabaseIsAway(String whenBehind, String listed)
            throws Exception {
        close();
        start(
                XML.replace(
                        "</source>",
                        "</source><pollInterval>20ms</pollInterval>"
                                + "<maxStaleness>200ms</maxStaleness><whenBehind>"
                                + whenBehind
                                + "</whenBehind>"));
        list("own").put(entry("alice@stranger.example", false), "test");
        list("own").put(entry("bob@partner.example", true), "test");
        await().until(() -> said("alice@stranger.example").equals("listed listed"));

        Path database = folder.resolve("var/lists.db");
        Path foreign = Files.writeString(folder.resolve("foreign"), "of another program");
        Files.move(foreign, database, StandardCopyOption.REPLACE_EXISTING);
        await().until(() -> list("own").status().behind() && list("second").status().behind());
        assertThat(said("alice@stranger.example")).isEqualTo(listed);
        assertThat(said("bob@partner.example")).isEqualTo("not-listed denied");
        assertThat(said("mallory@stranger.example")).isEqualTo("not-listed denied");
        assertThat(said("carol@partner.example")).isEqualTo("listed listed");
        assertThat(said("eve@stranger.example")).isEqualTo("not-listed stranger");
        assertThatThrownBy(() -> list("own").put(entry("eve@stranger.example", false), "test"))
                .isInstanceOf(IOException.class);
    }

    /** The import has ended, but no base can be made of it, as while the disk is full. */
    @Test
    void shouldJudgeByWhatWasAcknowledgedAfterAnImport() throws Exception {
        list("own").put(entry("alice@stranger.example", false), "test");
        list("own").put(entry("bob@partner.example", false), "test");
        Path work = folder.resolve("var/whitelist");
        Files.move(work, folder.resolve("var/elsewhere"));
        Files.createFile(work);
        try (Database other =
                Database.sqlite(folder.resolve("var/lists.db"), Duration.ofSeconds(20))) {
            other.record("own").load(List.of(entry("imported@stranger.example", false)), false);
            other.record("own").endLoad();
        }
        await().until(() -> list("own").status().problem() != null);

        list("own")
                .remove(Origin.ADMIN, SmallLists.address("alice@stranger.example").key(), null, "");
        list("own").put(entry("bob@partner.example", true), "test");
        assertThat(said("alice@stranger.example")).isEqualTo("not-listed stranger");
        assertThat(said("bob@partner.example")).isEqualTo("not-listed denied");
    }

    private static FakeMail toMany(int recipients) throws MessagingException {
        FakeMail mail =
                FakeMail.builder()
                        .name("m")
                        .sender("eve@evil.example")
                        .recipient("u@here.ex")
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder()
                                        .addHeader("From", "eve@evil.example"))
                        .build();
        List<MailAddress> to = new ArrayList<>();
        for (int i = 0; i < recipients; i++) {
            to.add(new MailAddress("u" + i + "@here.ex"));
        }
        mail.setRecipients(to);
        return mail;
    }

    private static Entry usersEntry(String sender, String user) {
        return new Entry(
                SmallLists.address(sender).key(),
                SmallLists.address(user).key(),
                List.of(new Rule(false, null, null, null, Origin.USER, "")));
    }

    /** Whoever writes to many must not keep the friends of others from being found. */
    @Test
    void shouldAnswerForFriendsWhileMailsToManyAreJudged() throws Exception {
        list("own").put(usersEntry("eve@evil.example", "u@here.ex"), "u@here.ex");
        for (int i = 0; i < 100; i++) {
            list("own").put(usersEntry("friend" + i + "@stranger.example", "u@here.ex"), "u");
        }
        assertThat(said("eve@evil.example")).isEqualTo("listed listed");
        int mails = 10;
        List<String> verdicts = Collections.synchronizedList(new ArrayList<>());
        try (ExecutorService threads = Executors.newFixedThreadPool(mails)) {
            for (int i = 0; i < mails; i++) {
                FakeMail mail = toMany(10_000);
                threads.execute(
                        () -> {
                            mailet.service(mail);
                            verdicts.add(attribute(mail, "verdict"));
                        });
            }
            for (int i = 0; i < 100; i++) {
                assertThat(said("friend" + i + "@stranger.example")).isEqualTo("listed listed");
            }
        }
        assertThat(verdicts).hasSize(mails).containsOnly("not-listed");
    }
}
