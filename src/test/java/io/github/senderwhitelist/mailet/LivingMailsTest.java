package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.living.LivingList;

import jakarta.mail.MessagingException;

import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.AttributeName;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;

/** Mails that a mailet judges by a file and by lists in a database. */
class LivingMailsTest {
    private static final String XML =
            """
            <whitelists>
              <whitelist name="own"><source>jdbc:h2:file://var/lists</source></whitelist>
              <whitelist name="second"><source>jdbc:h2:file://var/lists</source></whitelist>
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
        shared = TestLists.defined(XML);
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
        assertThat(shared.livingNames()).isEmpty();
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
    void shouldKnowUsersEntries() throws Exception {
        Rule users = new Rule(false, null, null, null, Origin.USER, "");
        Entry entry =
                new Entry(
                        SmallLists.address("friend@stranger.example").key(),
                        SmallLists.address("u@here.ex").key(),
                        List.of(users));
        list("own").put(entry, "u@here.ex");
        assertThat(said("friend@stranger.example")).isEqualTo("listed listed");

        list("second").put(entry("friend@stranger.example", true), "admin");
        assertThat(said("friend@stranger.example")).isEqualTo("not-listed denied");
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

    @Test
    void shouldKeepEntriesAndKeepStrangersFromTheDatabase() throws Exception {
        for (int i = 0; i < 400; i++) {
            list("own").put(entry("user" + i + "@many.example", false), "test");
        }
        close();
        start();

        long before = list("own").counters().lookups();
        for (int i = 0; i < 400; i++) {
            assertThat(said("user" + i + "@many.example")).isEqualTo("listed listed");
            assertThat(said("other" + i + "@many.example")).isEqualTo("not-listed stranger");
        }
        // Those listed, and few of the others: the rate is 0.001.
        assertThat(list("own").counters().lookups() - before).isBetween(400L, 430L);
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void shouldKeepAddressesToTheOwner() throws Exception {
        Path database = folder.resolve("var/lists.mv.db");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(database)))
                .isEqualTo("rw-------");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(database.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void shouldSayThatAnotherProcessHasTheFile() throws Exception {
        SharedLists others = TestLists.defined(XML.replace("own", "third"));
        SenderWhitelist second = new SenderWhitelist(new TestFiles(folder), others);

        assertThatThrownBy(
                        () ->
                                second.init(
                                        FakeMailetConfig.builder()
                                                .setProperty("whitelist", "third")
                                                .build()))
                .isInstanceOf(MessagingException.class)
                .message()
                .startsWith("SenderWhitelist: parameter whitelist: ")
                .contains("lists")
                .doesNotContain("\n");
        assertThat(others.isEmpty()).isTrue();
    }
}
