package io.github.senderwhitelist.it;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The quick start, {@code mvn -Prun verify}: the real James 3.8.1 server with the plugin on this
 * machine, configured by {@code conf/}, until Ctrl-C.
 *
 * <p>System properties: {@code run.smtp}, {@code run.imap}, {@code run.webadmin} for other ports;
 * {@code run.exit=true} sends a listed and an unlisted mail and ends.
 */
public final class RunJames {
    private static final Path DIRECTORY = Path.of("target/james");
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration ARRIVAL = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final String LISTED = "alice@example.com";
    private static final String UNLISTED = "stranger@example.com";

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
                    "Port %d (%s) is taken: %s. Stop what uses it, or choose another: -D%s=%d%n",
                    port, what, e.getMessage(), property, port + 10_000);
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

    private boolean run(Map<String, String> users) throws IOException, InterruptedException {
        out.println("Starting Apache James 3.8.1 in " + DIRECTORY + " ...");
        ServerDirectory directory = ServerDirectory.create(DIRECTORY, James38.JAR);
        // The list in conf/ is used instead of the copy, so that people can edit it where they
        // expect it.
        directory.mailetContainer(
                conf ->
                        conf.set(
                                MailetContainer.WHITELIST,
                                Map.of(
                                        "whitelist",
                                        "file://" + WHITELIST.toAbsolutePath() + ",own")));
        try (James38 james = James38.launch(directory, ports, null)) {
            stopWithMaven(james);
            if (!started(james)) {
                return false;
            }
            for (var entry : users.entrySet()) {
                james.addUser(entry.getKey(), entry.getValue());
            }
            return Boolean.getBoolean("run.exit") ? sendTwo(james) : serve(james);
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
            curl -sS smtp://127.0.0.1:%5$d --mail-from %3$s --mail-rcpt %2$s -T -

        A mail from a sender who is not listed; it lands in %2$s's folder Unlisted:
          printf 'From: Stranger <%4$s>\\r\\nTo: %2$s\\r\\nSubject: not listed\\r\\n\\r\\nHello\\r\\n' | \\
            curl -sS smtp://127.0.0.1:%5$d --mail-from %4$s --mail-rcpt %2$s -T -

        Read the newest mail in INBOX, and in Unlisted (which is made by its first mail):
          curl -sS -u %2$s:%6$s 'imap://127.0.0.1:%7$d/INBOX;MAILINDEX=*'
          curl -sS -u %2$s:%6$s 'imap://127.0.0.1:%7$d/Unlisted;MAILINDEX=*'

        Is the server well?
          curl -sS http://127.0.0.1:%8$d/healthcheck

        Everything James logs: %9$s. Ctrl-C stops it. Verdicts:
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
                        DIRECTORY.resolve("server.log"));
    }

    private boolean sendTwo(James38 james) throws IOException, InterruptedException {
        boolean listed = lands(james, LISTED, JamesServer.INBOX);
        boolean notListed = lands(james, UNLISTED, JamesServer.UNLISTED);
        return listed && notListed;
    }

    private boolean lands(James38 james, String sender, String expected)
            throws IOException, InterruptedException {
        Letter letter =
                Letter.of(
                        "From: <" + sender + ">\r\nTo: <" + user + ">\r\nSubject: quick start\r\n",
                        "Hello\r\n");
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
                "Mail from %s: arrived in %s of %s; expected: %s. %s%n",
                sender,
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
