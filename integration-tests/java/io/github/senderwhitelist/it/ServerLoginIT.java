package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;
import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Commands with {@code --server} in front of a whole James 3.8.1 whose WebAdmin takes tokens. */
class ServerLoginIT extends OneJames38 {
    @TempDir Path folder;

    private static ServerDirectory directory() throws IOException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/server-login"), James38.JAR);
        Files.writeString(
                directory.conf("whitelists.xml"),
                """
                <whitelists>
                  <whitelist name="own">
                    <source>jdbc:sqlite:file://var/whitelist/lists.db</source>
                  </whitelist>
                </whitelists>
                """);
        return directory;
    }

    private void start(KeyPair key) throws IOException {
        ServerDirectory directory = directory();
        WebAdminLogin.require(directory, key.getPublic());
        launch(directory, null);
        awaitReady();
    }

    private List<String> token(KeyPair key, boolean admin) throws IOException {
        Path file = Files.createTempFile(folder, "token", "");
        return List.of(
                "--token-file=" + Files.writeString(file, WebAdminLogin.token(key, admin) + "\n"));
    }

    private record Result(int exit, String out, String err) {}

    private Result run(List<String> login, String... command) throws Exception {
        List<String> line = new ArrayList<>(List.of("target/whitelist"));
        line.addAll(List.of(command));
        int port = james().webAdminPort();
        line.addAll(List.of("--list=own", "--server=http://127.0.0.1:" + port));
        line.addAll(login);
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("XDG_CACHE_HOME", folder.toString());
        int exit =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
        return new Result(exit, Files.readString(out), Files.readString(err));
    }

    private void assertRefused(String said, List<String> login) throws Exception {
        for (String command : List.of("export", "status")) {
            Result result = run(login, command);
            assertThat(result.exit()).isEqualTo(2);
            assertThat(result.out()).isEmpty();
            assertThat(result.err().lines()).singleElement().asString().contains(said);
        }
    }

    @Test
    void aTokenLogsIn() throws Exception {
        KeyPair key = WebAdminLogin.key();
        start(key);
        List<String> login = token(key, true);

        assertThat(run(login, "add", "alice@example.com to=sam@here.example"))
                .isEqualTo(new Result(0, "own: 1 put, 0 unchanged\n", ""));
        assertThat(run(login, "rename", "sam@here.example", "samuel@here.example").exit()).isZero();
        assertThat(run(login, "export"))
                .isEqualTo(new Result(0, "alice@example.com to=samuel@here.example\n", ""));

        assertRefused("a login is needed (status 401)", List.of());
        for (List<String> wrong : List.of(token(WebAdminLogin.key(), true), token(key, false))) {
            assertRefused("the token of --token-file is refused (status 401)", wrong);
        }
        Path password = Files.writeString(folder.resolve("password"), "secret\n");
        assertRefused(
                "the password of --password-file is refused (status 401)",
                List.of("--password-file=" + password));
    }

    /** Pastes both blocks of the manual with openssl, one before the start and one after it. */
    @Test
    void aTokenMadeAsTheManualSaysLogsIn() throws Exception {
        Needs.require(
                Files.exists(Path.of("/usr/bin/openssl")),
                "openssl is not installed; the manual's token was not made");
        List<String> blocks =
                Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                        .matcher(Docs.page("webadmin.md"))
                        .results()
                        .map(block -> block.group(1))
                        .filter(block -> block.contains("openssl"))
                        .toList();
        assertThat(blocks).hasSize(2);
        ServerDirectory directory = directory();
        assertThat(shell(directory, blocks.getFirst())).isEmpty();
        launch(directory, null);
        awaitReady();
        String port = Integer.toString(james().webAdminPort());

        assertThat(james().webAdmin("/whitelists")).contains("No Bearer header");
        assertThat(shell(directory, blocks.getLast().replace("8000", port)))
                .contains("\"name\":\"own\"");
    }

    private static String shell(ServerDirectory directory, String lines) throws Exception {
        Process shell =
                new ProcessBuilder("sh", "-e", "-c", lines)
                        .directory(directory.path().toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        String out = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).isZero();
        return out;
    }
}
