package io.github.senderwhitelist.database;

import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * {@link JdbcRecordContract} with PostgreSQL behind PgBouncer, whose transactions each may have
 * another connection of the server.
 */
@Tag("large")
@EnabledIf("isInstalled")
class PgBouncerRecordTest extends JdbcRecordContract {
    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    @TempDir private static Path folder;
    @AutoClose private static Postgres server;
    private static Process pooler;
    private static int port;
    private static int databasesMade;

    private String name = "";

    static boolean isInstalled() {
        return Files.isExecutable(PROGRAM);
    }

    @BeforeAll
    static void start() throws IOException {
        server = Postgres.started(Files.createDirectory(folder.resolve("server")));
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Path own = Files.createTempDirectory("pgbouncer");
        Path settings = own.resolve("pgbouncer.ini");
        Files.writeString(
                settings,
                """
                [databases]
                * = host=127.0.0.1 port=SERVER user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = PORT
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = 3
                ignore_startup_parameters = extra_float_digits
                """
                        .replace("SERVER", Integer.toString(server.port()))
                        .replace("PORT", Integer.toString(port)));
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-q"));
        if (System.getProperty("user.name").equals("root")) {
            // It does not run as root.
            Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(settings.toString());
        pooler = new ProcessBuilder(command).inheritIO().start();
        await().ignoreExceptions()
                .until(() -> new Socket(InetAddress.getLoopbackAddress(), port), Objects::nonNull)
                .close();
    }

    @AfterAll
    static void stop() {
        pooler.destroy();
    }

    @Override
    Database openDatabase(Duration timeout) throws Exception {
        if (name.isEmpty()) {
            name = "pooled" + databasesMade++;
            try (Connection connection = server.plain("public")) {
                new Session(connection).run("create database " + name);
            }
        }
        return Database.postgres(place(), "postgres", "x", timeout, 6);
    }

    @Override
    String place() {
        // This version does not know prepared statements.
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + name + "?prepareThreshold=0";
    }

    @Override
    Connection plain() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + name, "postgres", "");
    }
}
