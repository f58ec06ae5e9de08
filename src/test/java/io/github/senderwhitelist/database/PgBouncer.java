package io.github.senderwhitelist.database;

import static org.awaitility.Awaitility.await;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** The pooler PgBouncer of a test, before a server, in transaction mode. */
final class PgBouncer implements Closeable {
    static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    private final int port;
    private final Process process;

    /** Starts it. */
    PgBouncer(Path folder, int serverPort) throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Path settings = folder.resolve("pgbouncer.ini");
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
                        .replace("SERVER", Integer.toString(serverPort))
                        .replace("PORT", Integer.toString(port)));
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-q"));
        if (System.getProperty("user.name").equals("root")) {
            // It does not run as root.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(settings.toString());
        process = new ProcessBuilder(command).inheritIO().start();
        await().until(this::listens);
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the URL of a database; this version does not know prepared statements. */
    String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?prepareThreshold=0";
    }

    @Override
    public void close() {
        process.destroy();
    }
}
