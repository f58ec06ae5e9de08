package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.EVE;
import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.it.JamesServer.Arrival;

import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * A real James that runs the shipped {@code conf/} with the plugin, for the tests of a class, and
 * what they do with it: send mails, see where they arrive, change the list.
 *
 * <p>Added to the shipped pipeline: the matcher marks what it takes for listed; only sam's mails
 * get the attributes as headers, ivy's show what the rest of the pipeline makes of a mail; mail for
 * eve and for {@code explode@...} fails.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RealJames {
    static final String HEADER = "X-Sender-Whitelist";
    static final String VERDICT = "X-Test-Verdict";
    static final String ENTRY = "X-Test-Entry";
    static final String REASON = "X-Test-Reason";
    static final String MATCHER = "X-Matcher";

    /** The attributes that are shown as headers. */
    private static final String ATTRIBUTES =
            "matcher;"
                    + MATCHER
                    + ",io.github.senderwhitelist.verdict;"
                    + VERDICT
                    + ",io.github.senderwhitelist.reason;"
                    + REASON
                    + ",io.github.senderwhitelist.entry;"
                    + ENTRY;

    /**
     * A header for tests. A mail with it counts as a mail from outside, and its value counts as the
     * authentication results that James found.
     */
    static final String FOUND = "X-Test-Found";

    private static final Map<String, Map<String, String>> FINDINGS =
            Map.of(
                    "spf pass",
                    JamesServer.SPF_PASSES,
                    "spf fail",
                    Map.of("org.apache.james.transport.mailets.spf.result", "fail"),
                    "dkim pass",
                    Map.of("jDKIM.AUTHRESULT", "pass (identity @mail.auth.example)"),
                    "dkim fail",
                    Map.of("jDKIM.AUTHRESULT", "fail (identity@auth.example: wrong)"),
                    "dkim other",
                    Map.of("jDKIM.AUTHRESULT", "pass (identity @auth.example.evil.example)"),
                    "login",
                    Map.of("org.apache.james.SMTPAuthUser", JamesServer.SAM));
    static final String EXPLODING = "someone explodes";

    private static final String MATCHES =
            "io.github.senderwhitelist.mailet.SenderIsWhitelisted=people";
    private static final String EXPLODE =
            "org.apache.james.transport.mailets.debug.ExceptionThrowingMailet";

    static final List<String> LIST =
            List.of(
                    "# the list of the tests",
                    "alice@example.com",
                    "Carol@Example.COM",
                    "@example.org",
                    "!mallory@example.org",
                    "@.lists.example.net",
                    "\"john doe\"@example.com",
                    "orders@b\u00fccher.example",
                    "owner-news@example.com",
                    "friend@auth.example auth=any",
                    "signed@auth.example auth=dkim note=ticket 4711",
                    JamesServer.IVY + " auth=any",
                    "tenant@example.com until=2200-12-31 to=" + JamesServer.SAM,
                    "past@example.com until=2020-12-31",
                    longest());

    /** The second list of the mailet. */
    static final List<String> SECOND_LIST =
            List.of(
                    "mixed@example.net to=" + JamesServer.SAM,
                    "mixed@example.net to=@elsewhere.example",
                    "club@example.net to=" + JamesServer.SAM,
                    "club@example.net to=" + JamesServer.IVY + " until=2020-12-31",
                    "!club@example.net to=" + JamesServer.LEE,
                    "club@example.net to=" + JamesServer.ANN + " auth=dkim",
                    "!ring@example.net to=" + JamesServer.SAM,
                    "ring@example.net to=" + JamesServer.IVY,
                    "ring@example.net to=" + JamesServer.LEE,
                    "ring@example.net to=@here.example",
                    "!ring@example.net to=" + JamesServer.JOE,
                    "former@example.net until=2020-12-31 to=" + JamesServer.SAM,
                    "second@example.net",
                    "!traitor@example.org",
                    "alice@example.com until=2020-12-31");

    private @Nullable JamesServer james;

    @RegisterExtension
    final LogOnFailure logOnFailure = new LogOnFailure(() -> james == null ? "" : james.log());

    /** Returns the plugin's jar for this server. */
    abstract Path jar();

    /** Starts a server; returns at once. */
    abstract JamesServer launch(ServerDirectory directory) throws IOException;

    /** Creates the users. */
    abstract void prepare(JamesServer james) throws IOException, InterruptedException;

    /**
     * Returns whether this James sets headers of every mail (MIME-Version first), whatever the
     * pipeline.
     */
    abstract boolean alwaysSetsHeaders();

    @BeforeAll
    void startServer() throws Exception {
        ServerDirectory directory = directory("server");
        directory.whitelist(LIST);
        Files.writeString(
                directory.conf("whitelists.xml"),
                """
                <whitelists>
                  <whitelist name="people"><source>file://conf/whitelist.txt</source></whitelist>
                  <whitelist name="own"><source>jdbc:sqlite:file://var/whitelist/lists.db</source></whitelist>
                </whitelists>
                """);
        Files.write(directory.conf("second.txt"), SECOND_LIST);
        directory.mailetContainer(
                conf -> {
                    conf.lists("people,file://conf/second.txt,own");
                    conf.set(MailetContainer.WHITELIST, Map.of("recipientDelimiter", "+"));
                    conf.before(
                            MailetContainer.WHITELIST,
                            "HasHeader=" + FOUND,
                            "RemoveMailAttribute",
                            Map.of("name", "org.apache.james.SMTPIsAuthNetwork"));
                    FINDINGS.forEach(
                            (found, attributes) ->
                                    conf.before(
                                            MailetContainer.WHITELIST,
                                            "HasHeader=" + FOUND + "=" + found,
                                            "SetMailAttribute",
                                            attributes));
                });
        directory.mailetContainer(
                conf ->
                        conf.insert(
                                        "root",
                                        MATCHES,
                                        "SetMailAttribute",
                                        Map.of("matcher", "listed"))
                                .insert(
                                        "local-delivery",
                                        "RecipientIs=" + SAM,
                                        "MailAttributesToMimeHeaders",
                                        Map.of(
                                                "simplemapping",
                                                ATTRIBUTES,
                                                "onMailetException",
                                                "ignore"))
                                .insert(
                                        "transport",
                                        "RecipientIs=explode@elsewhere.example",
                                        EXPLODE,
                                        Map.of())
                                .insert("transport", "RecipientIs=" + EVE, EXPLODE, Map.of())
                                .insert(
                                        "transport",
                                        "RecipientIs=" + EVE,
                                        "LogMessage",
                                        Map.of(
                                                "headers", "false", "body", "false", "comment",
                                                EXPLODING)));
        JamesServer started = launch(directory);
        james = started;
        started.awaitReady();
        prepare(started);
    }

    @AfterAll
    void stopServer() {
        if (james != null) {
            james.close();
        }
    }

    JamesServer james() {
        return Objects.requireNonNull(james);
    }

    ServerDirectory directory(String name) throws IOException {
        return ServerDirectory.create(
                Path.of("target/it", getClass().getSimpleName(), name), jar());
    }

    static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(100)).pollInSameThread();
    }

    /** Returns a sender whose local part and domain are as long as RFC 5321 allows. */
    static String longest() {
        return "l".repeat(64)
                + "@"
                + ("d".repeat(61) + ".").repeat(2)
                + "d".repeat(50)
                + ".example";
    }

    void send(String sender, List<String> recipients, Letter letter) throws IOException {
        james().send(sender, recipients, letter);
    }

    /** Sends a mail to sam and waits until it has arrived. */
    Arrival deliver(String sender, Letter letter) throws IOException {
        send(sender, List.of(SAM), letter);
        return arrival(SAM, letter);
    }

    Arrival arrival(String user, Letter letter) {
        return james().arrival(user, letter);
    }

    static Optional<String> verdict(Arrival arrival) {
        return arrival.letter().header(VERDICT);
    }

    Letter relayed(String recipient, Letter letter) {
        return patiently()
                .until(
                        () ->
                                james().relayed(recipient).stream()
                                        .filter(mail -> mail.id().equals(letter.id()))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    long copies(String user, Letter letter) throws IOException {
        return copies(james().mails(user, INBOX), letter)
                + copies(james().mails(user, UNLISTED), letter);
    }

    static long copies(List<Letter> mails, Letter letter) {
        return mails.stream().filter(mail -> mail.id().equals(letter.id())).count();
    }

    /**
     * Waits until all mails sent before have gone all the way, so that every duplicate has arrived,
     * too.
     */
    void barrier() throws IOException {
        deliver("alice@example.com", Letter.simple("barrier"));
        deliver("stranger@example.com", Letter.simple("barrier"));
    }

    static List<String> with(String... more) {
        List<String> lines = new ArrayList<>(LIST);
        lines.addAll(List.of(more));
        return lines;
    }

    /**
     * Replaces the list by the tests' list with these entries added, and waits until it is active.
     */
    void putList(String... more) throws IOException {
        String marker = "marker-" + UUID.randomUUID() + "@example.com";
        List<String> lines = with(more);
        lines.add(marker);
        james().directory().whitelist(lines);
        patiently()
                .until(
                        () ->
                                verdict(deliver(marker, Letter.simple("is the active list?")))
                                        .equals(Optional.of("listed")));
    }
}
