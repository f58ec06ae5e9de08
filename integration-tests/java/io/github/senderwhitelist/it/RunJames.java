package io.github.senderwhitelist.it;

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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration ARRIVAL = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofMillis(200);
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
            Pattern.compile("^(\\S+ \\S+ +)io\\.github\\.senderwhitelist\\.\\S+ - ");

    private final PrintStream out;
    private final James38.Ports ports;
    private final String user;
    private final String password;

    private RunJames(PrintStream out, James38.Ports ports, String user, String password) {
        this.out = out;
        this.ports = ports;
        this.user = user;
        this.password = password;
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        James38.Ports ports =
                new James38.Ports(
                        port("run.smtp", 2525), port("run.imap", 1143), port("run.webadmin", 8000));
        List<Boolean> free =
                List.of(
                        free(out, "SMTP", ports.smtp(), "run.smtp"),
                        free(out, "IMAP", ports.imap(), "run.imap"),
                        free(out, "WebAdmin", ports.webAdmin(), "run.webadmin"));
        if (free.contains(false)) {
            System.exit(1);
        }
        Map<String, String> users = users();
        String user = users.keySet().iterator().next();
        RunJames run = new RunJames(out, ports, user, users.getOrDefault(user, ""));
        System.exit(run.run(users) ? 0 : 1);
    }

    private static int port(String property, int standard) {
        return Integer.getInteger(property, standard);
    }

    private static boolean free(PrintStream out, String what, int port, String property) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            out.printf(
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
    private static Map<String, String> users() throws IOException {
        Path file = Path.of("conf/users.properties");
        Map<String, String> users = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
            int equals = line.indexOf('=');
            if (!line.startsWith("#") && equals > 0) {
                users.put(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
            }
        }
        if (users.isEmpty()) {
            throw new IOException(file + " has no user");
        }
        return users;
    }

    /** Returns the directory of a server as the quick start runs it. */
    static ServerDirectory directory(Path path) throws IOException, GeneralSecurityException {
        ServerDirectory directory = ServerDirectory.create(path, James38.JAR);
        WebAdminLogin.require(directory);
        // The list in conf/ is used instead of the copy, so that people can edit it where they
        // expect it.
        directory.mailetContainer(
                conf -> conf.lists("file://" + WHITELIST.toAbsolutePath() + ",own"));
        directory.mailetContainer(
                conf ->
                        conf.before(
                                MailetContainer.WHITELIST,
                                "HasHeader=" + CONFIRMED,
                                "SetMailAttribute",
                                Map.of("org.apache.james.transport.mailets.spf.result", "pass")));
        String verdicts = "mailet.SenderWhitelist\" level=";
        directory.replace("logback.xml", verdicts + "\"INFO\"", verdicts + "\"DEBUG\"");
        return directory;
    }

    private boolean run(Map<String, String> users) throws Exception {
        out.println("Starting Apache James 3.8.1 in " + DIRECTORY + " ...");
        ServerDirectory directory = directory(DIRECTORY);
        try (James38 james = James38.launch(directory, ports, new Outside())) {
            stopWithMaven(james);
            if (!started(james)) {
                return false;
            }
            for (var entry : users.entrySet()) {
                james.addUser(entry.getKey(), entry.getValue());
            }
            return Boolean.getBoolean("run.exit") ? sendThree(james) : serve(james);
        }
    }

    /** Ends James when Maven ends. Nothing tells this process that Maven was killed. */
    private static void stopWithMaven(James38 james) {
        Thread watch =
                new Thread(
                        () -> {
                            ProcessHandle.current()
                                    .parent()
                                    .ifPresent(maven -> maven.onExit().join());
                            james.close();
                        },
                        "watch over Maven");
        watch.setDaemon(true);
        watch.start();
    }

    private boolean started(James38 james) throws InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (james.process().alive() && System.nanoTime() < deadline) {
            if (james.log().contains(James38.READY)) {
                return true;
            }
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        }
        out.println(LogOnFailure.end(james.log()));
        out.println("James did not start; its whole log: " + james.process().logFile());
        return false;
    }

    /** Shows what the whitelist says until James or this process ends. */
    private boolean serve(James38 james) throws InterruptedException {
        out.println(help());
        int shown = 0;
        while (james.process().alive()) {
            String log = james.log();
            int end = log.lastIndexOf('\n') + 1;
            for (String line : log.substring(shown, end).lines().toList()) {
                if (OF_THE_WHITELIST.matcher(line).find()) {
                    out.println(OF_THE_WHITELIST.matcher(line).replaceFirst("$1"));
                }
            }
            shown = end;
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        }
        out.println("James has ended; its log: " + james.process().logFile());
        return james.process().exitCode() == 0;
    }

    private String help() {
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

    private boolean sendThree(James38 james) throws IOException, InterruptedException {
        boolean listed = lands(james, LISTED, "", JamesServer.INBOX);
        boolean notListed = lands(james, UNLISTED, "", JamesServer.UNLISTED);
        return listed && notListed && sendToFriend(james);
    }

    /** Lets the user write to somebody, who answers, and somebody else who pretends to be that. */
    private boolean sendToFriend(James38 james) throws IOException, InterruptedException {
        String confirmed = CONFIRMED + ": yes\r\n";
        boolean before = lands(james, FRIEND, confirmed, JamesServer.UNLISTED);
        Letter letter = letter(user, FRIEND, "");
        try (SmtpClient smtp = new SmtpClient(ports.smtp())) {
            smtp.login(user, password);
            smtp.send(user, List.of(FRIEND), letter.bytes());
        }
        long deadline = System.nanoTime() + ARRIVAL.toNanos();
        while (!james.webAdmin("/whitelists/own/for/" + user).contains(FRIEND)
                && System.nanoTime() < deadline) {
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        }
        out.printf("%s has logged in and written to %s.%n", user, FRIEND);
        boolean answer = lands(james, FRIEND, confirmed, JamesServer.INBOX);
        boolean forged = lands(james, FRIEND, "", JamesServer.UNLISTED);
        return before && answer && forged;
    }

    private static Letter letter(String from, String to, String more) {
        return Letter.of(
                "From: <" + from + ">\r\nTo: <" + to + ">\r\nSubject: quick start\r\n" + more,
                "Hello\r\n");
    }

    private boolean lands(James38 james, String sender, String more, String expected)
            throws IOException, InterruptedException {
        Letter letter = letter(sender, user, more);
        try (SmtpClient smtp = new SmtpClient(ports.smtp())) {
            smtp.send(sender, List.of(user), letter.bytes());
        }
        long deadline = System.nanoTime() + ARRIVAL.toNanos();
        List<String> folders = new ArrayList<>();
        while (folders.isEmpty() && System.nanoTime() < deadline) {
            for (String folder : List.of(JamesServer.INBOX, JamesServer.UNLISTED)) {
                for (Letter mail : james.mails(user, password, folder)) {
                    if (mail.id().equals(letter.id())) {
                        folders.add(
                                folder
                                        + " (X-Sender-Whitelist: "
                                        + mail.header("X-Sender-Whitelist").orElse("none")
                                        + ")");
                    }
                }
            }
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        }
        boolean right = folders.size() == 1 && folders.getFirst().startsWith(expected + " ");
        out.printf(
                "Mail from %s%s: arrived in %s of %s; expected: %s. %s%n",
                sender,
                more.isEmpty() ? "" : " (" + more.strip() + ")",
                folders.isEmpty() ? "nothing" : String.join(", ", folders),
                user,
                expected,
                right ? "Right." : "WRONG.");
        if (!right) {
            out.println(LogOnFailure.end(james.log()));
        }
        return right;
    }
}
