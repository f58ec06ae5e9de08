package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.patiently;

import org.awaitility.Awaitility;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The quick start, {@code mvn -Prun verify}: the real James 3.8.1 server with the plugin on this
 * machine, configured by {@code conf/}, until Ctrl-C.
 *
 * <p>System properties: {@code run.smtp}, {@code run.imap}, {@code run.webadmin} for other ports;
 * {@code run.exit=true} sends a listed and an unlisted mail, one of the user's, and answers to it,
 * and ends.
 */
public final class RunJames {
    private static final Path DIRECTORY = Path.of("target/james");
    private static final String LISTED = "alice@example.com";
    private static final String UNLISTED = "stranger@example.com";

    /** Somebody to whom the user writes. */
    private static final String FRIEND = "bob@friends.example";

    /**
     * A header of mails that count as confirmed by SPF. There may be no DNS here, and these domains
     * are not in it.
     */
    private static final String CONFIRMED = "X-Quick-Start-Confirmed";

    private static final Path WHITELIST = Path.of("conf/whitelist.txt");

    /** Time and level of a line in the log, and the logger, which is left out on the terminal. */
    private static final Pattern OF_THE_WHITELIST =
            Pattern.compile("(?m)^(\\S+ \\S+ +)io\\.github\\.senderwhitelist\\.\\S+ - (.*)$");

    private static final PrintStream OUT =
            new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private final James38 james;
    private final String user;
    private final String password;

    private RunJames(James38 james, String user, String password) {
        this.james = james;
        this.user = user;
        this.password = password;
    }

    public static void main(String[] args) throws Exception {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(3));
        James38.Ports ports =
                new James38.Ports(
                        Integer.getInteger("run.smtp", 2525),
                        Integer.getInteger("run.imap", 1143),
                        Integer.getInteger("run.webadmin", 8000));
        boolean free = isFree("SMTP", ports.smtp(), "run.smtp");
        free &= isFree("IMAP", ports.imap(), "run.imap");
        free &= isFree("WebAdmin", ports.webAdmin(), "run.webadmin");
        System.exit(free && run(ports) ? 0 : 1);
    }

    private static boolean isFree(String what, int port, String property) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            OUT.printf(
                    Locale.ROOT,
                    "Port %d (%s) is taken: %s. Stop what uses it, or choose another: -D%s=%d%n",
                    port,
                    what,
                    e.getMessage(),
                    property,
                    port + 10_000);
            return false;
        }
    }

    /** Addresses and passwords of {@code conf/users.properties}, in the order of the file. */
    private static List<String[]> users() throws IOException {
        return Files.readAllLines(Path.of("conf/users.properties")).stream()
                .filter(line -> line.matches("[^#].*=.*"))
                .map(line -> line.split(" *= *", 2))
                .toList();
    }

    /** Returns the directory of a server as the quick start runs it. */
    static ServerDirectory directory(Path path) throws IOException, GeneralSecurityException {
        ServerDirectory directory = ServerDirectory.create(path, James38.JAR);
        WebAdminLogin.require(directory);
        // The list in conf/ is used instead of the copy, so that people can edit it where they
        // expect it.
        directory.mailetContainer(
                conf ->
                        conf.lists("file://" + WHITELIST.toAbsolutePath() + ",own")
                                .attributes("HasHeader=" + CONFIRMED, MailetContainer.SPF_PASSES));
        return directory;
    }

    private static boolean run(James38.Ports ports) throws Exception {
        OUT.println("Starting Apache James 3.8.1 in " + DIRECTORY + " ...");
        List<String[]> users = users();
        try (James38 james = new James38(directory(DIRECTORY), ports, new Outside())) {
            // Nothing tells this process that Maven was killed.
            ProcessHandle maven = ProcessHandle.current().parent().orElseThrow();
            Thread.ofVirtual().start(() -> endWith(maven, james));
            james.awaitStart();
            if (!james.process().alive()) {
                OUT.println(LogOnFailure.end(james.log()));
                OUT.println("James did not start; its whole log: " + james.process().logFile());
                return false;
            }
            for (String[] user : users) {
                james.addUser(user[0], user[1]);
            }
            RunJames run = new RunJames(james, users.getFirst()[0], users.getFirst()[1]);
            return Boolean.getBoolean("run.exit") ? run.sendAll() : run.serve(ports);
        }
    }

    private static void endWith(ProcessHandle maven, James38 james) {
        maven.onExit().join();
        james.close();
    }

    /** Shows what the whitelist says until James or this process ends. */
    private boolean serve(James38.Ports ports) throws InterruptedException {
        OUT.println(help(ports));
        int shown = 0;
        while (james.process().alive()) {
            String log = james.log();
            int end = log.lastIndexOf('\n') + 1;
            OF_THE_WHITELIST
                    .matcher(log.substring(shown, end))
                    .results()
                    .forEach(line -> OUT.println(line.group(1) + line.group(2)));
            shown = end;
            Thread.sleep(200);
        }
        OUT.println("James has ended; its log: " + james.process().logFile());
        return james.process().exitCode() == 0;
    }

    private String help(James38.Ports ports) {
        return """

        James is ready. Its list is %1$s: edit it while James runs.

        A mail from a listed sender; it lands in %2$s's INBOX:
          printf 'From: Alice <%3$s>\\r\\nTo: %2$s\\r\\nSubject: listed\\r\\n\\r\\nHello\\r\\n' | \\
            curl -sS smtp://127.0.0.1:%5$s --mail-from %3$s --mail-rcpt %2$s -T -

        A mail from a sender who is not listed; it lands in %2$s's folder Unlisted:
          printf 'From: Stranger <%4$s>\\r\\nTo: %2$s\\r\\nSubject: not listed\\r\\n\\r\\nHello\\r\\n' | \\
            curl -sS smtp://127.0.0.1:%5$s --mail-from %4$s --mail-rcpt %2$s -T -

        Read the newest mail in INBOX, and in Unlisted (which is made by its first mail):
          curl -sS -u %2$s:%6$s 'imap://127.0.0.1:%7$s/INBOX;MAILINDEX=*'
          curl -sS -u %2$s:%6$s 'imap://127.0.0.1:%7$s/Unlisted;MAILINDEX=*'

        Whom %2$s writes to is listed for %2$s. Log in and write to %9$s:
          printf 'From: <%2$s>\\r\\nTo: %9$s\\r\\nSubject: hello\\r\\n\\r\\nHello\\r\\n' | \\
            curl -sS smtp://127.0.0.1:%5$s -u %2$s:%6$s --mail-from %2$s --mail-rcpt %9$s -T -

        Wait a second. The answer lands in INBOX if SPF or DKIM confirms it, else in Unlisted. There is
        no DNS for friends.example, so here a header says that SPF confirms it. Try it without, too:
          printf 'From: <%9$s>\\r\\n%10$s: yes\\r\\nSubject: answer\\r\\n\\r\\nHello\\r\\n' | \\
            curl -sS smtp://127.0.0.1:%5$s --mail-from %9$s --mail-rcpt %2$s -T -

        Who is listed for %2$s? WebAdmin wants a token, which is new at each start:
          curl -sS -H "Authorization: Bearer $(cat %12$s)" \\
            http://127.0.0.1:%8$s/whitelists/for/%2$s

        Is the server well?
          curl -sS http://127.0.0.1:%8$s/healthcheck

        Everything James logs: %11$s. Ctrl-C stops it. Verdicts:
        """
                .formatted(
                        WHITELIST,
                        user,
                        LISTED,
                        UNLISTED,
                        ports.smtp(),
                        password,
                        ports.imap(),
                        ports.webAdmin(),
                        FRIEND,
                        CONFIRMED,
                        DIRECTORY.resolve("server.log"),
                        DIRECTORY.resolve(WebAdminLogin.FILE));
    }

    /** Sends a mail of each kind, and lets the user write to somebody, who answers. */
    private boolean sendAll() throws IOException {
        String confirmed = CONFIRMED + ": yes\r\n";
        boolean right = lands(LISTED, "", JamesServer.INBOX);
        right &= lands(UNLISTED, "", JamesServer.UNLISTED);
        right &= lands(FRIEND, confirmed, JamesServer.UNLISTED);
        james.sendAs(user, user, List.of(FRIEND), letter(user, FRIEND, ""));
        patiently().until(() -> james.webAdmin("/whitelists/own/for/" + user).contains(FRIEND));
        OUT.printf("%s has logged in and written to %s.%n", user, FRIEND);
        right &= lands(FRIEND, confirmed, JamesServer.INBOX);
        right &= lands(FRIEND, "", JamesServer.UNLISTED);
        return right;
    }

    private static Letter letter(String from, String to, String more) {
        return Letter.of(
                "From: <" + from + ">\r\nTo: <" + to + ">\r\nSubject: quick start\r\n" + more,
                "Hello\r\n");
    }

    private boolean lands(String sender, String more, String expected) throws IOException {
        Letter letter = letter(sender, user, more);
        james.send(sender, List.of(user), letter);
        JamesServer.Arrival arrival = james.arrival(user, letter);
        boolean right = arrival.folder().equals(expected);
        OUT.printf(
                "Mail from %s%s: arrived in %s (X-Sender-Whitelist: %s) of %s; expected: %s. %s%n",
                sender,
                more.isEmpty() ? "" : " (" + more.strip() + ")",
                arrival.folder(),
                arrival.letter().header("X-Sender-Whitelist").orElse("none"),
                user,
                expected,
                right ? "Right." : "WRONG.");
        if (!right) {
            OUT.println(LogOnFailure.end(james.log()));
        }
        return right;
    }
}
