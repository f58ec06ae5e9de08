package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.database.Postgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The commands on a living list in PostgreSQL, without what only James has. */
@Tag("large")
class LivingPostgresTest {
    @TempDir private Path folder;
    @AutoClose private Postgres server;
    private Program program;

    @BeforeEach
    void start() throws IOException {
        server = Postgres.started(folder);
        program = new Program(folder).withoutJar("HikariCP");
        Files.createDirectory(folder.resolve("conf"));
        Files.writeString(folder.resolve("password"), "secret-4711\n");
        Files.writeString(
                folder.resolve("conf/whitelists.xml"),
                """
                <whitelists><whitelist name="defined">
                  <source>%s</source><user>postgres</user><password>file://password</password>
                </whitelist></whitelists>
                """
                        .formatted(server.url("public").replace("&", "&amp;")));
    }

    private Program.Result run(String command, String... arguments)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(command, "own"));
        line.addAll(List.of("--database", server.url("public"), "--conf", folder + "/conf"));
        line.addAll(List.of(arguments));
        return program.run("\"$@\"", line.toArray(new String[0]));
    }

    @Test
    void shouldMoveAListFromAFile() throws Exception {
        String[] lines =
                IntStream.range(10_000, 22_000)
                        .mapToObj(i -> "s" + i + "@example.com note=" + i)
                        .toArray(String[]::new);
        lines[0] = "!s10000@example.com until=2999-12-31 to=me@here.org origin=user";
        Path list = Files.writeString(folder.resolve("list"), String.join("\n", lines) + '\n');
        String file = "jdbc:sqlite:" + folder.resolve("db.db");

        assertThat(Main.run("import", "x", "--create", "--database", file, list.toString()))
                .isZero();
        Program.Result moved =
                program.run(
                        "\"$@\" export x --database '"
                                + file
                                + "' | \"$@\" import own - --create --conf "
                                + folder
                                + "/conf --database '"
                                + server.url("public")
                                + "'");

        assertThat(moved.err()).isEmpty();
        assertThat(moved.out()).startsWith("own: 12,000 added, 0 unchanged; 12,000 lines; ");
        assertThat(run("export").out()).isEqualTo(Files.readString(list));
        assertThat(run("import", list.toString()).out())
                .startsWith("own: 0 added, 12,000 unchanged");
    }

    @Test
    void shouldAddRemoveAndTellTheStatus() throws Exception {
        assertThat(run("add", "--create", "alice@example.com", "b@example.com").exit()).isZero();
        assertThat(run("remove", "b@example.com").out()).isEqualTo("b@example.com\tremoved\n");
        Program.Result status = run("status");

        assertThat(status.out()).startsWith("own\t1\t");
        assertThat(status.err()).isEmpty();
        Path two = Files.writeString(folder.resolve("password"), "a\nb\n");
        assertThat(run("add", "c@example.com").err()).isEqualTo(two + ": 2 lines; allowed: one\n");
    }

    @Test
    void shouldWriteNothingIfThereIsNoSuchList() throws Exception {
        String said = "the database has no list 'own'; there are: none; nothing was done";
        assertThat(run("status").err()).isEqualTo(said + '\n');
        assertThat(run("export").err()).isEqualTo(said + '\n');
        assertThat(run("remove", "a@x.org").err()).isEqualTo(said + '\n');
        try (Connection connection =
                        DriverManager.getConnection(server.url("public"), "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet tables =
                        statement.executeQuery(
                                "select relname from pg_class where relname like 'whitelist%'")) {
            assertThat(tables.next()).isFalse();
        }
    }
}
