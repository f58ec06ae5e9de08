package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.tools.ChildJava;

import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A running James with the plugin, a process of its own, as a test sees it. Its local domain is
 * {@code here.example}, its users are those below. It has a few aliases.
 */
abstract class JamesServer implements AutoCloseable {
    static final String SAM = "sam@here.example";
    static final String IVY = "ivy@here.example";
    static final String EVE = "eve@here.example";
    static final String ANN = "ann@here.example";
    static final String JOE = "joe@here.example";

    /** A user who gets thousands of mails, so that the mailboxes of the others stay short. */
    static final String LEE = "lee@here.example";

    /** An alias of ivy's. */
    static final String ALIAS_OF_IVY = "i.vy@here.example";

    /** An address of lee's with a tag, which reaches lee as a group does. */
    static final String TAGGED_LEE = "lee+shop@here.example";

    /** An alias of the local domain. */
    static final String ALIAS_DOMAIN = "other.example";

    static final String INBOX = "INBOX";

    /** The folder in which the shipped pipeline puts mails of senders who are not listed. */
    static final String UNLISTED = "Unlisted";

    /** The folder in which the recipes put spam. */
    static final String SPAM = "Spam";

    private static final Duration WEB_ADMIN_PATIENCE = Duration.ofMinutes(3);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final ServerDirectory directory;
    private final ServerProcess process;
    private final @Nullable Outside outside;
    private final String ready;

    /** Where a mail arrived, and as what. */
    record Arrival(String folder, Letter letter) {}

    /**
     * Starts a server on the Java that runs this one; its output goes to {@code server.log} in its
     * directory. Returns at once.
     *
     * @param ready what the server logs when it has started
     * @param outside where mail to other servers goes
     */
    JamesServer(
            ServerDirectory directory,
            @Nullable Outside outside,
            String ready,
            String classPath,
            String main,
            List<String> options)
            throws IOException {
        this.directory = directory;
        this.outside = outside;
        this.ready = ready;
        Path path = directory.path();
        List<String> command = ChildJava.command("-Xmx512m");
        command.add("-Dfile.encoding=UTF-8");
        command.add("-Dworking.directory=" + path.toAbsolutePath());
        command.add("-Dlogback.configurationFile=" + directory.conf("logback.xml").toUri());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main));
        this.process = ServerProcess.start(path, command, path.resolve("server.log"));
    }

    static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(100)).pollInSameThread();
    }

    ServerDirectory directory() {
        return directory;
    }

    ServerProcess process() {
        return process;
    }

    /** Returns what the server has logged so far. */
    String log() {
        return process.log();
    }

    /** Waits until the server is ready, or has ended. */
    void awaitStart() {
        patiently().until(() -> log().contains(ready) || !process.alive());
    }

    /** Waits until the server is ready, which it must become. */
    void awaitReady() {
        awaitStart();
        assertThat(process.alive()).as(() -> "started\n" + log()).isTrue();
    }

    abstract int smtpPort();

    abstract int webAdminPort();

    /** Returns all mails that have arrived so far in a folder of a local user. */
    abstract List<Letter> mails(String user, String folder) throws IOException;

    /** Returns all mails that were sent on so far to this address at another server. */
    List<Letter> relayed(String recipient) throws IOException {
        return outside == null ? List.of() : outside.mails(recipient);
    }

    /** Returns the page of WebAdmin at this path, whatever the status is. */
    String webAdmin(String path) throws IOException, InterruptedException {
        return webAdmin("GET", path, "").body();
    }

    /** Asks WebAdmin, logged in where it wants that, and returns its answer. */
    HttpResponse<String> webAdmin(String method, String path, String body)
            throws IOException, InterruptedException {
        return webAdmin(method, path, body, WebAdminLogin.token(directory));
    }

    /** Sends WebAdmin a request with a body of JSON and a token, both of which may be empty. */
    HttpResponse<String> webAdmin(String method, String path, String body, String token)
            throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + webAdminPort() + path))
                        .timeout(WEB_ADMIN_PATIENCE)
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + token)
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Asks WebAdmin for a change, which it must make. */
    void change(String method, String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> answer = webAdmin(method, path, body);
        if (answer.statusCode() / 100 != 2) {
            throw new IOException(
                    method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
    }

    /** Sends a mail without a login. */
    void send(String sender, List<String> recipients, Letter letter) throws IOException {
        try (SmtpClient smtp = new SmtpClient(smtpPort())) {
            smtp.send(sender, recipients, letter.bytes());
        }
    }

    /** Returns where a mail has arrived, if it has. */
    Optional<Arrival> find(String user, Letter letter) throws IOException {
        List<Arrival> found = new ArrayList<>();
        for (String folder : List.of(INBOX, UNLISTED, SPAM)) {
            for (Letter mail : mails(user, folder)) {
                if (mail.id().equals(letter.id())) {
                    found.add(new Arrival(folder, mail));
                }
            }
        }
        assertThat(found).hasSizeLessThan(2);
        return found.stream().findFirst();
    }

    /** Waits until a mail has arrived. */
    Arrival arrival(String user, Letter letter) {
        return patiently().until(() -> find(user, letter), Optional::isPresent).orElseThrow();
    }

    /** Waits until a mail has come to another server. */
    Letter relayed(String recipient, Letter letter) {
        return patiently()
                .until(
                        () ->
                                relayed(recipient).stream()
                                        .filter(mail -> mail.id().equals(letter.id()))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** Sends a mail to one user, and returns the folder in which it arrives. */
    String folder(String sender, String user, Letter letter) throws IOException {
        send(sender, List.of(user), letter);
        return arrival(user, letter).folder();
    }

    /** Kills the server, so that it can save nothing. */
    void kill() {
        process.kill();
        close();
    }

    @Override
    public void close() {
        process.close();
        if (outside != null) {
            outside.close();
        }
    }
}
