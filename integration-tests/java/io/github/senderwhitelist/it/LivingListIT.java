package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A list in SQLite that WebAdmin changes while a whole James 3.8.1 runs, and that outlives a kill.
 */
class LivingListIT extends OneJames38 {
    private static final String ALICE = "/whitelists/own/entries/alice@stranger.example";

    private void start(ServerDirectory directory) throws IOException, InterruptedException {
        start(directory, null, "--enable-native-access=ALL-UNNAMED");
    }

    private static ServerDirectory directory(String name) throws IOException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it").resolve(name), James38.JAR);
        Files.writeString(
                directory.conf("whitelists.xml"),
                """
                <whitelists>
                  <whitelist name="own"><source>jdbc:sqlite:file://var/whitelist/lists.db</source></whitelist>
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
        return james().folder(sender, SAM, Letter.simple("living list"));
    }

    @Test
    void anEntryThatWebAdminPutsIsActiveAtOnceAndOutlivesAKill() throws Exception {
        ServerDirectory directory = directory("living-list");
        start(directory);
        assertThat(james().log()).doesNotContain("WARNING: A restricted method");
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

        // SQLite's library is loaded, and needs no file any more.
        assertThat(libraries(directory)).isEmpty();
        james().kill();
        directory.resetPorts();
        start(directory);
        assertThat(folderOf("alice@stranger.example")).isEqualTo(INBOX);
        assertThat(folderOf("alice@example.com")).isEqualTo(UNLISTED);
        assertThat(webAdmin("DELETE", ALICE, "").statusCode()).isBetween(200, 204);
        assertThat(folderOf("alice@stranger.example")).isEqualTo(UNLISTED);
    }

    /** Returns the folders that SQLite's library was unpacked into. */
    private static List<String> libraries(ServerDirectory directory) throws IOException {
        try (Stream<Path> files = Files.list(directory.path().resolve("var/whitelist"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(".sqlite-"))
                    .toList();
        }
    }

    @Test
    void anotherExtensionMayBringTheDriver() throws Exception {
        ServerDirectory directory = directory("two-drivers");
        Files.copy(
                SqliteDriverIT.SAME,
                directory.path().resolve("extensions-jars/another-driver.jar"));
        start(directory);

        assertThat(webAdmin("PUT", ALICE, "{}").statusCode()).isBetween(200, 204);
        assertThat(folderOf("alice@stranger.example")).isEqualTo(INBOX);
    }

    @Test
    void aLibraryThatCannotBeLoadedStopsJames() throws Exception {
        launch(directory("no-library"), null, "-Dos.arch=riscv64");
        james().awaitStart();

        assertThat(james().process().alive()).as("runs").isFalse();
        assertThat(james().process().exitCode()).isEqualTo(1);
        assertThat(james().log().lines())
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .contains(James38.JAR.getFileName().toString())
                                        .contains("no library for Linux on riscv64"));
    }
}
