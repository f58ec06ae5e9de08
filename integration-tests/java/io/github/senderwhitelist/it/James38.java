package io.github.senderwhitelist.it;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The whole James 3.8.1 server (in memory), a process of its own, with the plugin's javax jar. */
final class James38 implements JamesServer {
    static final Path JAR = Path.of("target/james-sender-whitelist-javax.jar");
    static final String READY = "JAMES server started";
    private static final String PASSWORD = "secret";

    /** Written by Maven (antrun, phase pre-integration-test). */
    private static final Path CLASS_PATH = Path.of("target/james-3.8.classpath");

    private final ServerDirectory directory;
    private final ServerProcess process;
    private final Ports ports;
    private final @Nullable Outside outside;
    private final Map<String, ReadSoFar> folders = new HashMap<>();

    record Ports(int smtp, int imap, int webAdmin) {
        /** Below those that systems give to connections, which could take one before James does. */
        private static final int FIRST = 12_000;

        private static final int END = 32_000;

        static Ports free() throws IOException {
            try (ServerSocket a = bound();
                    ServerSocket b = bound();
                    ServerSocket c = bound()) {
                return new Ports(a.getLocalPort(), b.getLocalPort(), c.getLocalPort());
            }
        }

        private static ServerSocket bound() throws IOException {
            while (true) {
                int port = ThreadLocalRandom.current().nextInt(FIRST, END);
                try {
                    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                } catch (BindException e) {
                    // It is in use, so another one is tried.
                }
            }
        }
    }

    private record ReadSoFar(long uid, List<Letter> letters) {}

    private James38(
            ServerDirectory directory,
            ServerProcess process,
            Ports ports,
            @Nullable Outside outside) {
        this.directory = directory;
        this.process = process;
        this.ports = ports;
        this.outside = outside;
    }

    /**
     * Starts the server on these ports; mail to other servers goes there, or to where DNS says.
     * Returns at once.
     */
    static James38 launch(ServerDirectory directory, Ports ports, @Nullable Outside outside)
            throws IOException {
        return launch(directory, ports, outside, List.of());
    }

    /** Starts the server with additional options for its Java. */
    static James38 launch(
            ServerDirectory directory, Ports ports, @Nullable Outside outside, List<String> options)
            throws IOException {
        directory.replace("smtpserver.xml", ":2525<", ":" + ports.smtp() + "<");
        directory.replace("imapserver.xml", ":1143<", ":" + ports.imap() + "<");
        directory.replace("webadmin.properties", "port=8000", "port=" + ports.webAdmin());
        if (outside != null) {
            directory.mailetContainer(
                    conf ->
                            conf.set(
                                    "RemoteDelivery",
                                    Map.of(
                                            "gateway",
                                            "127.0.0.1",
                                            "gatewayPort",
                                            Integer.toString(outside.port()))));
        }
        ServerProcess process =
                ServerProcess.start(
                        directory.path(),
                        classPath(),
                        "org.apache.james.MemoryJamesServerMain",
                        options);
        return new James38(directory, process, ports, outside);
    }

    /** Returns the class path of the server's own jars. */
    static String classPath() throws IOException {
        if (!Files.exists(CLASS_PATH)) {
            throw new IOException(
                    CLASS_PATH + " is missing: it is made by mvn pre-integration-test");
        }
        return Files.readString(CLASS_PATH).strip();
    }

    @Override
    public ServerProcess process() {
        return process;
    }

    @Override
    public String readyLine() {
        return READY;
    }

    /** Creates a user and the user's domain. */
    void addUser(String address, String password) throws IOException, InterruptedException {
        put("/domains/" + address.substring(address.indexOf('@') + 1), "");
        put("/users/" + address, "{\"password\":\"" + password + "\"}");
    }

    /** Creates the users and aliases that the tests know. */
    James38 withUsers() throws IOException, InterruptedException {
        addUser(SAM, PASSWORD);
        addUser(IVY, PASSWORD);
        addUser(EVE, PASSWORD);
        addUser(LEE, PASSWORD);
        addUser(ANN, PASSWORD);
        addUser(JOE, PASSWORD);
        put("/address/aliases/" + IVY + "/sources/" + ALIAS_OF_IVY, "");
        // WebAdmin decodes the path twice.
        put("/address/groups/" + TAGGED_LEE.replace("+", "%252B") + "/" + LEE, "");
        put("/domains/" + ALIAS_DOMAIN, "");
        put("/domains/here.example/aliases/" + ALIAS_DOMAIN, "");
        return this;
    }

    private void put(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = webAdmin("PUT", path, body);
        if (response.statusCode() != 204) {
            throw new IOException(
                    "WebAdmin: PUT " + path + ": " + response.statusCode() + " " + response.body());
        }
    }

    /** Asks WebAdmin, logged in where it wants that, and returns its answer. */
    HttpResponse<String> webAdmin(String method, String path, String body)
            throws IOException, InterruptedException {
        return Web.send(ports.webAdmin(), method, path, body, WebAdminLogin.token(directory));
    }

    int webAdminPort() {
        return ports.webAdmin();
    }

    @Override
    public int smtpPort() {
        return ports.smtp();
    }

    @Override
    public String webAdmin(String path) throws IOException, InterruptedException {
        return webAdmin("GET", path, "").body();
    }

    @Override
    public List<Letter> mails(String user, String folder) throws IOException {
        return mails(user, PASSWORD, folder);
    }

    List<Letter> mails(String user, String password, String folder) throws IOException {
        String key = user + " " + folder;
        ReadSoFar read = folders.getOrDefault(key, new ReadSoFar(0, List.of()));
        try (ImapClient imap = new ImapClient(ports.imap(), user, password)) {
            long uid = read.uid();
            List<Letter> letters = new ArrayList<>(read.letters());
            for (ImapClient.Fetched fetched : imap.fetch(folder, uid)) {
                uid = Math.max(uid, fetched.uid());
                letters.add(fetched.letter());
            }
            folders.put(key, new ReadSoFar(uid, List.copyOf(letters)));
            return List.copyOf(letters);
        }
    }

    /** Opens the folders of one of the users that the tests know. */
    ImapClient imap(String user) throws IOException {
        return new ImapClient(ports.imap(), user, PASSWORD);
    }

    @Override
    public List<Letter> relayed(String recipient) throws IOException {
        return outside == null ? List.of() : outside.mails(recipient);
    }

    @Override
    public ServerDirectory directory() {
        return directory;
    }

    @Override
    public void close() {
        process.close();
        if (outside != null) {
            outside.close();
        }
    }
}
