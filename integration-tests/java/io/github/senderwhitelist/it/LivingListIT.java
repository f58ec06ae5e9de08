package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A list in H2 that WebAdmin changes while a whole James 3.8.1 runs, and that outlives a kill. */
class LivingListIT {
    private static final String ALICE = "/whitelists/own/entries/alice@stranger.example";

    private @Nullable James38 james;

    @RegisterExtension
    final LogOnFailure logOnFailure = new LogOnFailure(() -> james == null ? "" : james.log());

    @AfterEach
    void stop() {
        if (james != null) {
            james.close();
        }
    }

    private James38 james() {
        return Objects.requireNonNull(james);
    }

    private void start(ServerDirectory directory) throws IOException, InterruptedException {
        James38 server = James38.launch(directory, James38.Ports.free(), null);
        james = server;
        await().until(() -> server.log().contains(James38.READY) || !server.process().alive());
        assertThat(server.process().alive()).as("started").isTrue();
        server.withUsers();
    }

    private static ServerDirectory directory() throws IOException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/living-list"), James38.JAR);
        Files.writeString(
                directory.conf("whitelists.xml"),
                """
                <whitelists>
                  <whitelist name="own"><source>jdbc:h2:file://var/whitelist/lists</source></whitelist>
                </whitelists>
                """);
        directory.mailetContainer(
                conf ->
                        conf.set(
                                "io.github.senderwhitelist.mailet.SenderWhitelist",
                                Map.of("whitelist", "file://conf/whitelist.txt,own")));
        return directory;
    }

    private HttpResponse<String> webAdmin(String method, String path, String body)
            throws IOException, InterruptedException {
        return james().webAdmin(method, path, body);
    }

    /** Sends a mail of this sender, and returns the folder in which it arrives. */
    private String folderOf(String sender) throws IOException {
        Letter letter = Letter.simple("living list");
        try (SmtpClient smtp = new SmtpClient(james().smtpPort())) {
            smtp.send(sender, List.of(SAM), letter.bytes());
        }
        return await().pollInSameThread()
                .until(
                        () -> {
                            for (String folder : List.of(INBOX, UNLISTED)) {
                                if (james().mails(SAM, folder).stream()
                                        .anyMatch(mail -> mail.id().equals(letter.id()))) {
                                    return folder;
                                }
                            }
                            return "";
                        },
                        folder -> !folder.isEmpty());
    }

    @Test
    void anEntryThatWebAdminPutsIsInForceAtOnceAndOutlivesAKill() throws Exception {
        ServerDirectory directory = directory();
        start(directory);
        assertThat(folderOf("alice@stranger.example")).isEqualTo(UNLISTED);
        assertThat(folderOf("alice@example.com")).isEqualTo(INBOX);

        assertThat(webAdmin("PUT", ALICE, "{}").statusCode()).isBetween(200, 204);
        assertThat(
                        webAdmin(
                                        "PUT",
                                        "/whitelists/own/entries/alice@example.com",
                                        "{\"denied\":true}")
                                .statusCode())
                .isBetween(200, 204);
        assertThat(folderOf("alice@stranger.example")).isEqualTo(INBOX);
        assertThat(folderOf("alice@example.com")).isEqualTo(UNLISTED);
        assertThat(webAdmin("GET", "/whitelists/explain?sender=alice@stranger.example", "").body())
                .contains("alice@stranger.example");

        ProcessHandle server = ProcessHandle.of(james().process().pid()).orElseThrow();
        server.destroyForcibly();
        server.onExit().join();
        james().close();
        directory.resetPorts();
        start(directory);
        assertThat(folderOf("alice@stranger.example")).isEqualTo(INBOX);
        assertThat(folderOf("alice@example.com")).isEqualTo(UNLISTED);
        assertThat(webAdmin("DELETE", ALICE, "").statusCode()).isBetween(200, 204);
        assertThat(folderOf("alice@stranger.example")).isEqualTo(UNLISTED);
    }
}
