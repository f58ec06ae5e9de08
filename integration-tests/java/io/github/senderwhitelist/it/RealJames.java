package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.ANN;
import static io.github.senderwhitelist.it.JamesServer.EVE;
import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.IVY;
import static io.github.senderwhitelist.it.JamesServer.JOE;
import static io.github.senderwhitelist.it.JamesServer.LEE;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import io.github.senderwhitelist.it.JamesServer.Arrival;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
                    MailetContainer.SPF_PASSES,
                    "dkim pass",
                    Map.of("jDKIM.AUTHRESULT", "pass (identity @mail.auth.example)"),
                    "dkim other",
                    Map.of("jDKIM.AUTHRESULT", "pass (identity @auth.example.evil.example)"),
                    "login",
                    Map.of("org.apache.james.SMTPAuthUser", SAM));
    static final String EXPLODING = "someone explodes";

    private static final String EXPLODE =
            "org.apache.james.transport.mailets.debug.ExceptionThrowingMailet";

    static final List<String> LIST =
            List.of(
                    "# the list of the tests",
                    "alice@example.com",
                    "@example.org",
                    "!mallory@example.org",
                    "@.lists.example.net",
                    "\"john doe\"@example.com",
                    "orders@b\u00fccher.example",
                    "friend@auth.example auth=any",
                    "signed@auth.example auth=dkim note=ticket 4711",
                    IVY + " auth=any",
                    "tenant@example.com until=2200-12-31 to=" + SAM,
                    "past@example.com until=2020-12-31",
                    longest());

    /** The second list of the mailet. */
    private static final List<String> SECOND_LIST =
            List.of(
                    "mixed@example.net to=" + SAM,
                    "mixed@example.net to=@elsewhere.example",
                    "club@example.net to=" + SAM,
                    "club@example.net to=" + IVY + " until=2020-12-31",
                    "!club@example.net to=" + LEE,
                    "club@example.net to=" + ANN + " auth=dkim",
                    "!ring@example.net to=" + SAM,
                    "ring@example.net to=" + IVY,
                    "ring@example.net to=" + LEE,
                    "ring@example.net to=@here.example",
                    "!ring@example.net to=" + JOE,
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
        directory.set(
                "whitelists.xml",
                "<whitelists>",
                "$0<whitelist"
                        + " name='people'><source>file://conf/whitelist.txt</source></whitelist>");
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
                                    conf.attributes(
                                            "HasHeader=" + FOUND + "=" + found, attributes));
                    conf.insert(
                            "root",
                            "io.github.senderwhitelist.mailet.SenderIsWhitelisted=people",
                            "SetMailAttribute",
                            Map.of("matcher", "listed"));
                    conf.insert(
                            "local-delivery",
                            "RecipientIs=" + SAM,
                            "MailAttributesToMimeHeaders",
                            Map.of("simplemapping", ATTRIBUTES, "onMailetException", "ignore"));
                    for (String each : List.of("explode@elsewhere.example", EVE)) {
                        conf.insert("transport", "RecipientIs=" + each, EXPLODE, Map.of());
                    }
                    conf.insert(
                            "transport",
                            "RecipientIs=" + EVE,
                            "LogMessage",
                            Map.of("headers", "false", "body", "false", "comment", EXPLODING));
                });
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

    /**
     * Replaces the list by the tests' list with these entries added, and waits until it is active.
     */
    void putList(String... more) throws IOException {
        String marker = "marker-" + UUID.randomUUID() + "@example.com";
        List<String> lines = new ArrayList<>(LIST);
        lines.addAll(List.of(more));
        lines.add(marker);
        james().directory().whitelist(lines);
        JamesServer.patiently()
                .until(
                        () ->
                                deliver(marker, Letter.simple("is the active list?"))
                                        .letter()
                                        .headers(VERDICT)
                                        .contains("listed"));
    }
}
