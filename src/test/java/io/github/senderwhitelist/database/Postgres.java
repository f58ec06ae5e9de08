package io.github.senderwhitelist.database;

import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL server of a test, which can be started again on the same port. */
public final class Postgres implements Closeable {
    private final Path folder;
    private final int port;
    private @Nullable EmbeddedPostgres server;

    /** Takes a port, and starts nothing. */
    public Postgres(Path folder) throws IOException {
        this.folder = folder;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
    }

    /** Returns a server that was started. */
    public static Postgres started(Path folder) throws IOException {
        Postgres server = new Postgres(folder);
        server.start();
        return server;
    }

    /** Starts the server. */
    public void start() throws IOException {
        server =
                EmbeddedPostgres.builder()
                        .setDataDirectory(folder.resolve("data"))
                        .setOverrideWorkingDirectory(folder.resolve("work").toFile())
                        .setCleanDataDirectory(false)
                        .setPort(port)
                        // Else it would lose what it committed last when it is killed.
                        .setServerConfig("fsync", "on")
                        .setServerConfig("synchronous_commit", "on")
                        .setPGStartupWait(Duration.ofSeconds(60))
                        .start();
    }

    /** Kills the server with signal 9, and waits until all its processes have ended. */
    public void kill() throws Exception {
        Path pidFile = folder.resolve("data").resolve("postmaster.pid");
        ProcessHandle main =
                ProcessHandle.of(Long.parseLong(Files.readAllLines(pidFile).getFirst()))
                        .orElseThrow();
        var all = main.descendants().toList();
        main.destroyForcibly();
        main.onExit().get(30, TimeUnit.SECONDS);
        all.forEach(ProcessHandle::destroyForcibly);
        await().until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
        Files.deleteIfExists(pidFile);
        close();
    }

    /** Returns the URL of a schema, which need not be there. */
    public String url(String schema) {
        return "jdbc:postgresql://localhost:" + port + "/postgres?currentSchema=" + schema;
    }

    int port() {
        return port;
    }

    Database open(String schema, Duration timeout) {
        return Database.postgres(url(schema), "postgres", "secret-4711", timeout, 10);
    }

    Connection plain(String schema) throws SQLException {
        return new PostgresDatabase.Source(url(schema), "postgres", "", Duration.ofSeconds(60))
                .getConnection();
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
            server = null;
        }
    }
}
