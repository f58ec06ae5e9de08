package io.github.senderwhitelist.it;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** The whole James 3.8.1 server (in memory) with the plugin's javax jar. */
final class James38 extends JamesServer {
    static final Path JAR = Path.of("target/james-sender-whitelist-javax.jar");

    /** Written by Maven (antrun, phase pre-integration-test). */
    private static final Path CLASS_PATH = Path.of("target/james-3.8.classpath");

    private final Ports ports;
    private final Map<String, String> passwords = new HashMap<>();

    /** The mails that have been read from each folder, by their UIDs. */
    private final Map<String, NavigableMap<Long, Letter>> folders = new HashMap<>();

    record Ports(int smtp, int imap, int webAdmin) {
        static Ports free() throws IOException {
            try (ServerSocket a = bound();
                    ServerSocket b = bound();
                    ServerSocket c = bound()) {
                return new Ports(a.getLocalPort(), b.getLocalPort(), c.getLocalPort());
            }
        }

        private static ServerSocket bound() throws IOException {
            while (true) {
                // Below those that systems give to connections, which could take it before James.
                int port = ThreadLocalRandom.current().nextInt(12_000, 32_000);
                try {
                    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                } catch (BindException e) {
                    // It is in use, so another one is tried.
                }
            }
        }
    }

    /**
     * Starts the server on these ports; mail to other servers goes there, or to where DNS says.
     * Returns at once.
     */
    James38(ServerDirectory directory, Ports ports, @Nullable Outside outside, String... options)
            throws IOException {
        super(
                configured(directory, ports, outside),
                outside,
                "JAMES server started",
                classPath(),
                "org.apache.james.MemoryJamesServerMain",
                Stream.concat(archive(), Stream.of(options)).toList());
        this.ports = ports;
    }

    /**
     * Returns the options by which Java keeps the server's classes as it has read and linked them.
     * A start takes half of its time then. One process of the tests writes the archive.
     */
    private static Stream<String> archive() {
        boolean writes = "1".equals(System.getProperty("surefire.forkNumber"));
        return Stream.of(
                "-XX:SharedArchiveFile=" + Path.of("target/james-3.8.jsa").toAbsolutePath(),
                (writes ? "-XX:+" : "-XX:-") + "AutoCreateSharedArchive",
                "-Xlog:disable");
    }

    private static ServerDirectory configured(
            ServerDirectory directory, Ports ports, @Nullable Outside outside) throws IOException {
        directory.set("smtpserver.xml", "<bind>.*:\\d+<", "<bind>127.0.0.1:" + ports.smtp + "<");
        directory.set("imapserver.xml", "<bind>.*:\\d+<", "<bind>127.0.0.1:" + ports.imap + "<");
        directory.set("webadmin.properties", "\nport=\\d+", "\nport=" + ports.webAdmin);
        if (outside != null) {
            String port = Integer.toString(outside.port());
            directory.mailetContainer(
                    conf ->
                            conf.set(
                                    "RemoteDelivery",
                                    Map.of("gateway", "127.0.0.1", "gatewayPort", port)));
        }
        return directory;
    }

    /** Returns the class path of the server's own jars. */
    static String classPath() throws IOException {
        if (!Files.exists(CLASS_PATH)) {
            throw new IOException(
                    CLASS_PATH + " is missing: it is made by mvn pre-integration-test");
        }
        return Files.readString(CLASS_PATH).strip();
    }

    /** Creates a user and the user's domain. */
    void addUser(String address, String password) throws IOException, InterruptedException {
        change("PUT", "/domains/" + address.substring(address.indexOf('@') + 1), "");
        change("PUT", "/users/" + address, "{\"password\":\"" + password + "\"}");
        passwords.put(address, password);
    }

    /** Creates the users and aliases that the tests know. */
    James38 withUsers() throws IOException, InterruptedException {
        for (String user : List.of(SAM, IVY, EVE, LEE, ANN, JOE)) {
            addUser(user, "secret");
        }
        addAlias(ALIAS_OF_IVY, IVY);
        // WebAdmin decodes the path twice.
        change("PUT", "/address/groups/" + TAGGED_LEE.replace("+", "%252B") + "/" + LEE, "");
        change("PUT", "/domains/" + ALIAS_DOMAIN, "");
        change("PUT", "/domains/here.example/aliases/" + ALIAS_DOMAIN, "");
        return this;
    }

    void addAlias(String alias, String user) throws IOException, InterruptedException {
        change("PUT", "/address/aliases/" + user + "/sources/" + alias, "");
    }

    /** Gives a user a script, which is active at once. */
    void addSieve(String user, String script) throws IOException, InterruptedException {
        change("PUT", "/sieve/" + user + "/scripts/script?activate=true", script);
    }

    @Override
    int smtpPort() {
        return ports.smtp;
    }

    @Override
    int webAdminPort() {
        return ports.webAdmin;
    }

    @Override
    List<Letter> mails(String user, String folder) throws IOException {
        NavigableMap<Long, Letter> letters =
                folders.computeIfAbsent(user + " " + folder, any -> new TreeMap<>());
        try (ImapClient imap = imap(user)) {
            letters.putAll(imap.fetch(folder, letters.isEmpty() ? 0 : letters.lastKey()));
        }
        return List.copyOf(letters.values());
    }

    /** Opens the folders of a user. */
    ImapClient imap(String user) throws IOException {
        return new ImapClient(ports.imap, user, password(user));
    }

    /** Sends a mail of a user, who logs in, from one of the user's addresses. */
    void sendAs(String user, String sender, List<String> recipients, Letter letter)
            throws IOException {
        try (SmtpClient smtp = new SmtpClient(ports.smtp)) {
            smtp.login(user, password(user));
            smtp.send(sender, recipients, letter.bytes());
        }
    }

    private String password(String user) {
        return passwords.getOrDefault(user, "");
    }
}
