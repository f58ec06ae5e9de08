package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.marked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.tools.SmallLists;

import jakarta.mail.MessagingException;

import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Mails that a mailet judges by a file and by lists in a database. */
class LivingMailsTest {
    private static final String LISTS =
            TestServer.living("own")
                    + TestServer.living("second").replace("second.db", "own.db")
                    + impatient("kept", "lastKnown")
                    + impatient("strict", "unavailable");

    @RegisterExtension final TestServer server = new TestServer(LISTS);
    private final Path folder = server.folder;

    @SuppressWarnings("NullAway.Init") // made before each test
    private SenderWhitelist mailet;

    /** Returns the definition of a list that is soon behind while its database is away. */
    private static String impatient(String name, String whenBehind) {
        return TestServer.living(name)
                .replace(
                        "</source>",
                        "</source><pollInterval>20ms</pollInterval>"
                                + "<maxStaleness>200ms</maxStaleness><whenBehind>"
                                + whenBehind
                                + "</whenBehind>");
    }

    @BeforeEach
    void open() throws IOException, MessagingException {
        server.write("base.txt", "@partner.example\n!mallory@stranger.example\n");
        start();
    }

    private void start() throws MessagingException {
        mailet = server.mailet("file://base.txt,own,second");
    }

    private LivingList list(String name) {
        return server.list(name);
    }

    private String said(String sender) throws MessagingException {
        return said(sender, sender);
    }

    private String said(String sender, String from) throws MessagingException {
        FakeMail mail = mail(sender, from);
        mailet.service(mail);
        return marked(mail, "verdict") + " " + marked(mail, "reason");
    }

    private static FakeMail mail(String sender, String from) throws MessagingException {
        return TestServer.mail(
                sender, TestServer.message("From: " + from + "\r\n\r\n"), "u@here.ex");
    }

    private void put(String list, String line) throws IOException {
        list(list).put(Lines.entry(line), "test");
    }

    private void remove(String list, String sender) throws IOException {
        list(list).remove(Origin.ADMIN, SmallLists.address(sender).key(), null, "");
    }

    @Test
    void shouldJudgeByTheEntriesOfTheMoment() throws Exception {
        assertThat(said("alice@stranger.example")).isEqualTo("not-listed stranger");
        assertThat(said("bob@partner.example")).isEqualTo("listed listed");

        put("own", "alice@stranger.example");
        put("second", "!bob@partner.example");
        put("own", "mallory@stranger.example");
        assertThat(said("alice@stranger.example")).isEqualTo("listed listed");
        assertThat(said("bob@partner.example")).isEqualTo("not-listed denied");
        assertThat(said("mallory@stranger.example")).isEqualTo("not-listed denied");

        // Of the user's own, with the address that users see.
        String bounces = "bounces-17@mailer.example";
        assertThat(said(bounces, "carol@stranger.example")).isEqualTo("not-listed stranger");
        put("own", "carol@stranger.example to=u@here.ex origin=user");
        assertThat(said(bounces, "carol@stranger.example")).isEqualTo("listed listed");

        remove("second", "bob@partner.example");
        remove("own", "alice@stranger.example");
        assertThat(said("alice@stranger.example")).isEqualTo("not-listed stranger");
        assertThat(said("bob@partner.example")).isEqualTo("listed listed");
    }

    /** A list that is closed folds its changes, so a base has them, kept or not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepEntriesAndAnswerStrangersByTheFilter(boolean keepsBase) throws Exception {
        for (int i = 0; i < 400; i++) {
            put("own", "user" + i + "@many.example");
        }
        mailet.destroy();
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
    @CsvSource({"kept, listed listed", "strict, unavailable unavailable"})
    void shouldJudgeByWhatWasKnownLastWhileTheDatabaseIsAway(String list, String listed)
            throws Exception {
        mailet.destroy();
        mailet = server.mailet("file://base.txt," + list);
        put(list, "alice@stranger.example");
        put(list, "!bob@partner.example");
        await().until(() -> said("alice@stranger.example").equals("listed listed"));

        Path database = folder.resolve("var/" + list + ".db");
        Path foreign = Files.writeString(folder.resolve("foreign"), "of another program");
        Files.move(foreign, database, StandardCopyOption.REPLACE_EXISTING);
        await().until(() -> list(list).status().behind());
        assertThat(said("alice@stranger.example")).isEqualTo(listed);
        assertThat(said("bob@partner.example")).isEqualTo("not-listed denied");
        assertThat(said("mallory@stranger.example")).isEqualTo("not-listed denied");
        assertThat(said("carol@partner.example")).isEqualTo("listed listed");
        assertThat(said("eve@stranger.example")).isEqualTo("not-listed stranger");
        assertThatThrownBy(() -> put(list, "eve@stranger.example")).isInstanceOf(IOException.class);
    }

    /** The import has ended, but no base can be made of it, as while the disk is full. */
    @Test
    void shouldJudgeByWhatWasAcknowledgedAfterAnImport() throws Exception {
        put("own", "alice@stranger.example");
        put("own", "bob@partner.example");
        Path work = folder.resolve("var/whitelist");
        Files.move(work, folder.resolve("var/elsewhere"));
        Files.createFile(work);
        try (Database other =
                Database.sqlite(folder.resolve("var/own.db"), Duration.ofSeconds(20))) {
            other.record("own").load(List.of(Lines.entry("imported@stranger.example")), false);
            other.record("own").endLoad();
        }
        await().until(() -> list("own").status().problem() != null);

        remove("own", "alice@stranger.example");
        put("own", "!bob@partner.example");
        assertThat(said("alice@stranger.example")).isEqualTo("not-listed stranger");
        assertThat(said("bob@partner.example")).isEqualTo("not-listed denied");
    }

    private static FakeMail toMany(int recipients) throws MessagingException {
        String[] to = new String[recipients];
        Arrays.setAll(to, i -> "u" + i + "@here.ex");
        String eve = "eve@evil.example";
        return TestServer.mail(eve, TestServer.message("From: " + eve + "\r\n\r\n"), to);
    }

    /** Whoever writes to many must not keep the friends of others from being found. */
    @Test
    void shouldAnswerForFriendsWhileMailsToManyAreJudged() throws Exception {
        put("own", "eve@evil.example to=u@here.ex origin=user");
        for (int i = 0; i < 100; i++) {
            put("own", "friend" + i + "@stranger.example to=u@here.ex origin=user");
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
                            verdicts.add(marked(mail, "verdict"));
                        });
            }
            for (int i = 0; i < 100; i++) {
                assertThat(said("friend" + i + "@stranger.example")).isEqualTo("listed listed");
            }
        }
        assertThat(verdicts).hasSize(mails).containsOnly("not-listed");
    }
}
