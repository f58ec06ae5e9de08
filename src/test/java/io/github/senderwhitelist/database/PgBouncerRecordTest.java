package io.github.senderwhitelist.database;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * {@link JdbcRecordContract} with PostgreSQL behind PgBouncer, whose transactions each may have
 * another connection of the server.
 */
@Tag("large")
@EnabledIf("isInstalled")
class PgBouncerRecordTest extends JdbcRecordContract {
    @TempDir private static Path folder;
    @AutoClose private static Postgres server;
    @AutoClose private static PgBouncer pooler;
    private static int databasesMade;

    private String name = "";

    static boolean isInstalled() {
        return Files.isExecutable(PgBouncer.PROGRAM);
    }

    @BeforeAll
    static void start() throws IOException {
        server = Postgres.started(Files.createDirectory(folder.resolve("server")));
        Path settings = Files.createTempDirectory("pgbouncer");
        pooler = new PgBouncer(settings, server.port());
    }

    @Override
    Database openDatabase() throws Exception {
        if (name.isEmpty()) {
            name = "pooled" + databasesMade++;
            try (Connection connection = server.plain("public")) {
                new Session(connection).run("create database " + name);
            }
        }
        return Database.postgres(pooler.url(name), "postgres", "x", TIMEOUT, 6);
    }

    @Override
    Connection plain() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + name, "postgres", "");
    }
}
