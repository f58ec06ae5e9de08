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
        program = new Program(folder, "HikariCP", "C.UTF-8");
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

    private Program.Result own(String command, String arguments) throws Exception {
        return program.run(
                "whitelist %s own --conf F/conf --database '%s' %s"
                        .formatted(command, server.url("public"), arguments));
    }

    @Test
    void shouldMoveAListFromAFile() throws Exception {
        String[] lines =
                IntStream.range(10_000, 22_000)
                        .mapToObj(i -> "s" + i + "@example.com note=" + i)
                        .toArray(String[]::new);
        lines[0] = "!s10000@example.com until=2999-12-31 to=me@here.org origin=user";
        Path list = Files.writeString(folder.resolve("list"), String.join("\n", lines) + '\n');
        String file = "--database jdbc:sqlite:file://F/db";

        program.run("whitelist import x F/list --create " + file);
        program.run("whitelist export x " + file + " > F/moved");
        Program.Result moved = own("import", "--create F/moved");

        assertThat(moved.err()).isEmpty();
        assertThat(moved.out()).startsWith("own: 12,000 added, 0 unchanged; 12,000 lines; ");
        assertThat(own("export", "").out()).isEqualTo(Files.readString(list));
        assertThat(own("import", "F/list").out()).startsWith("own: 0 added, 12,000 unchanged");
    }

    @Test
    void shouldAddRemoveAndTellTheStatus() throws Exception {
        assertThat(own("add", "--create alice@example.com b@example.com").exit()).isZero();
        assertThat(own("remove", "b@example.com").out()).isEqualTo("b@example.com\tremoved\n");
        assertThat(own("history", "").out().lines()).hasSize(3);
        Program.Result status = own("status", "");

        assertThat(status.out()).startsWith("own\t1\t");
        assertThat(status.err()).isEmpty();
        Files.writeString(folder.resolve("password"), "a\nb\n");
        assertThat(own("add", "c@example.com").err())
                .contains("parameter password: its file is another");
    }

    @Test
    void shouldWriteNothingIfThereIsNoSuchList() throws Exception {
        String said = "the database has no list 'own'";
        assertThat(own("status", "").err()).startsWith(said);
        assertThat(own("export", "").err()).startsWith(said);
        assertThat(own("remove", "a@x.org").err()).startsWith(said);
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
