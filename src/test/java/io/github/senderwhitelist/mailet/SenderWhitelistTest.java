package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.marked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.mailet.Mail;
import org.apache.mailet.ProcessingState;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class SenderWhitelistTest {
    @RegisterExtension final TestServer server = new TestServer();
    private final Path folder = server.folder;

    @BeforeEach
    void list() throws IOException {
        server.write("conf/whitelist.txt", "alice@example.com\n@example.org\n");
    }

    private SenderWhitelist mailet(String... parameters) throws MessagingException {
        return server.mailet("file://conf/whitelist.txt", parameters);
    }

    private SenderIsWhitelisted matcher(String condition) throws MessagingException {
        return server.matcher(condition);
    }

    private static FakeMail mail(String sender) throws MessagingException {
        MimeMessage message = TestServer.message("Subject: x\r\n\r\nText\r\n");
        return TestServer.mail(sender, message, "one@local.example", "two@local.example");
    }

    /** Around an entry, these are white space; in a mail's address, they make it none. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u200b", "\u200e", "\u202a", "\ufeff", "\u00a0", "\u00ad", "\ufe0f", "\u3164"
            })
    void shouldNotLoseADenialToACharacterThatDoesNotShow(String hidden) throws Exception {
        Files.writeString(
                folder.resolve("conf/whitelist.txt"),
                "@example.com\n" + hidden + "!mallory@example.com\n" + hidden + "eve@x.example\n");
        SenderWhitelist created = mailet("sender", "either");
        for (String[] row :
                new String[][] {
                    {"alice@example.com", "listed"},
                    {"eve@x.example", "listed"},
                    {"mallory@example.com", "not-listed"},
                    {hidden + "mallory@example.com", "not-listed"},
                    {"mal" + hidden + "lory@example.com", "not-listed"},
                    {"mallory@exam" + hidden + "ple.com", "not-listed"},
                    {"ev" + hidden + "e@x.example", "not-listed"},
                    {"alice@exam" + hidden + "ple.com", "not-listed"}
                }) {
            FakeMail mail = mail("nobody@stranger.example");
            mail.setMessage(TestServer.message("From: Somebody <" + row[0] + ">\r\n\r\nText\r\n"));
            created.service(mail);
            assertThat(marked(mail, "verdict")).as("From: " + row[0]).isEqualTo(row[1]);
        }
    }

    /** What a filter and a store can say of a sender. */
    enum Case {
        FILTER_NO,
        LISTED,
        FALSE_POSITIVE,
        LOOKUP_FAILED
    }

    static List<Arguments> decisions() {
        List<Arguments> rows = new ArrayList<>();
        for (Case what : Case.values()) {
            for (boolean processors : new boolean[] {true, false}) {
                for (boolean exact : new boolean[] {true, false}) {
                    for (boolean nullSender : new boolean[] {true, false}) {
                        rows.add(Arguments.of(what, processors, exact, nullSender));
                    }
                }
            }
        }
        return rows;
    }

    /** The decision table of the manual, all 32 rows of it. */
    @ParameterizedTest
    @MethodSource("decisions")
    void shouldFollowTheDecisionTable(
            Case what, boolean processors, boolean exact, boolean nullSender) throws Exception {
        String parameters = "bitsPerAddress 1 cacheSize 0 exactMemory 0 exactLookup ";
        String states = processors ? " onWhitelisted transport onNotWhitelisted spam" : "";
        SenderWhitelist mailet =
                mailet((parameters + (exact ? "on" : "off") + states).split(" ", -1));
        Mail mail = mail(nullSender ? "" : sender(what));
        if (what == Case.LOOKUP_FAILED) {
            damageStore();
        }

        mailet.service(mail);

        Case known = nullSender ? Case.FILTER_NO : what;
        String verdict =
                switch (known) {
                    case FILTER_NO -> "not-listed";
                    case LISTED -> "listed";
                    case FALSE_POSITIVE -> exact ? "not-listed" : "listed";
                    case LOOKUP_FAILED -> exact ? "unavailable" : "listed";
                };
        assertThat(marked(mail, "verdict")).isEqualTo(verdict);
        assertThat(marked(mail, "entry")).isEqualTo(verdict.equals("listed") ? sender(what) : "-");
        assertThat(mail.getState())
                .isEqualTo(!processors ? "root" : verdict.equals("listed") ? "transport" : "spam");
        assertThat(mail.getRecipients()).hasSize(2);
    }

    private String sender(Case what) throws IOException {
        return switch (what) {
            case LISTED, LOOKUP_FAILED -> "alice@example.com";
            case FILTER_NO -> stranger(false);
            case FALSE_POSITIVE -> stranger(true);
        };
    }

    /** A stranger for whom the filter of the snapshot built says maybe, or no. */
    private String stranger(boolean maybe) throws IOException {
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, built())) {
            for (int i = 0; ; i++) {
                String sender = "stranger" + i + "@elsewhere.example";
                var key =
                        Key.of(
                                ("stranger" + i).getBytes(StandardCharsets.UTF_8),
                                "elsewhere.example".getBytes(StandardCharsets.UTF_8));
                if (snapshot.addressFilter().mightContain(snapshot.hasher().hash(key)) == maybe) {
                    return sender;
                }
            }
        }
    }

    private Path built() throws IOException {
        try (var files = Files.list(folder.resolve("var/whitelist"))) {
            return files.findFirst().orElseThrow();
        }
    }

    /** Overwrites the exact store in place, under the feet of the server. */
    private void damageStore() throws IOException {
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, built());
        try (RandomAccessFile file = new RandomAccessFile(built().toFile(), "rw")) {
            file.seek(4096);
            file.write(new byte[(int) Math.min(4096, header.fileLength() - 4096)]);
        }
    }

    @ParameterizedTest
    @CsvSource({"notListed, spam", "listed, transport"})
    void shouldTreatALookupFailureAsConfigured(String onFailure, String state) throws Exception {
        SenderWhitelist mailet =
                mailet(
                        "onWhitelisted", "transport",
                        "onNotWhitelisted", "spam",
                        "exactMemory", "0",
                        "onLookupFailure", onFailure);
        damageStore();
        Mail mail = mail("alice@example.com");
        mailet.service(mail);

        assertThat(mail.getState()).isEqualTo(state);
        assertThat(marked(mail, "verdict")).isEqualTo("unavailable");
    }

    @Test
    void shouldReplaceTheAttributesOfAnEarlierMailet() throws Exception {
        SenderWhitelist mailet = mailet();
        Mail mail = mail("alice@example.com");
        mailet.service(mail);
        Files.writeString(folder.resolve("conf/whitelist.txt"), "# gone\nbob@example.com\n");
        mailet.destroy();
        mailet("maxShrink", "100%").service(mail);

        assertThat(marked(mail, "verdict")).isEqualTo("not-listed");
        assertThat(marked(mail, "entry")).isEqualTo("-");
    }

    @Test
    void shouldAskTheServerForTheProcessorsItNames() throws Exception {
        assertThat(mailet("onWhitelisted", "transport").requiredProcessingState())
                .containsExactly(new ProcessingState("transport"));
        // What every mailet has, and secrets in a file.
        server.write("conf/secrets", "new one\ntops3cr3t\n");
        String others = "onMailetException ignore unwrap srs srsSecret file://conf/secrets";
        assertThat(mailet(others.split(" ")).requiredProcessingState()).isEmpty();
    }

    @ParameterizedTest
    @TableSource
    void shouldRefuseToStartAndSayWhy(String name, String value, String message) {
        assertThatThrownBy(() -> mailet(name, value))
                .isInstanceOf(SettingException.class)
                .message()
                .startsWith("SenderWhitelist: " + message.replace("FOLDER", folder.toString()))
                .doesNotContain("\n");
    }

    @Test
    void shouldSayOnOneLineWhatIsNoPathAndWhatIsGivenTwice() {
        // The system's own message about it has the line break in it, too.
        assertThatThrownBy(() -> mailet("workDirectory", "file://v\0ar\nX"))
                .isInstanceOf(SettingException.class)
                .message()
                .contains("'file://v\\u0000ar\\u000aX'; allowed: a file URL")
                .doesNotContain("\n");
        assertThatThrownBy(() -> mailet("falsePositiveRate", "0.01", "bitsPerAddress", "10"))
                .hasMessageContaining("both falsePositiveRate and bitsPerAddress are given");
    }

    @ParameterizedTest
    @CsvSource({
        "file://conf/none, 'none: no such file; allowed: a file of secrets in UTF-8, one a line'",
        "file://conf/latin1, 'latin1: not UTF-8; allowed: a file of secrets in UTF-8, one a line'",
        "file://conf/empty, but srsSecret has no secret",
        "'  ', but srsSecret has no secret"
    })
    void shouldRefuseSecretsItCannotRead(String secret, String message) throws IOException {
        Files.writeString(folder.resolve("conf/empty"), "\n \n");
        Files.write(folder.resolve("conf/latin1"), new byte[] {(byte) 0xfc});
        assertThatThrownBy(() -> mailet("unwrap", "srs", "srsSecret", secret))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("SenderWhitelist: parameter ")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "file://conf/whitelist.txt;cacheSize | 'cacheSize' in",
                "'file://conf/whitelist.txt;a\nb' | 'a\\u000ab' in",
                "file://conf/whitelist.txt;x=1 | unknown parameter 'x'",
                "file://conf/whitelist.txt;cacheSize=1;cacheSize=2 | 'cacheSize=2' in",
                "file://conf/whitelist.txt;whitelist=file://y | 'whitelist=file://y' in",
                "file://conf/whitelist.txt;header=on | unknown parameter 'header'",
                "file://conf/whitelist.txt;onWhitelisted=y | unknown parameter 'onWhitelisted'",
                "'' | parameter whitelist is missing",
            })
    void shouldRefuseAConditionItDoesNotUnderstand(String condition, String message) {
        assertThatThrownBy(() -> matcher(condition))
                .isInstanceOf(SettingException.class)
                .message()
                .startsWith("SenderIsWhitelisted: " + message)
                .doesNotContain("\n");
    }
}
