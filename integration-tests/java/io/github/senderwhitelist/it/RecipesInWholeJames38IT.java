package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.it.scanner.GtubeScanner;
import io.github.senderwhitelist.it.scanner.RspamdAsker;
import io.github.senderwhitelist.it.scanner.SpamdAsker;
import io.github.senderwhitelist.tools.Docs;
import io.github.senderwhitelist.tools.Needs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The recipes in the whole James 3.8.1. */
class RecipesInWholeJames38IT extends RecipeContract {
    private static final Pattern SIEVE = Pattern.compile("(?ms)^```sieve\n(.*?)^```$");

    private static final String PLUGIN = "io.github.senderwhitelist";

    /**
     * Commands run before James starts, where its files say of the plugin what James' own do, and
     * end in a comment without a line end.
     */
    private @Nullable String install;

    @Override
    ServerDirectory directory() throws IOException, InterruptedException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/recipes-38"), James38.JAR)
                        .withExtension(GtubeScanner.class);
        if (install != null) {
            without(directory.conf("logback.xml"), PLUGIN);
            for (String file : List.of("healthcheck.properties", "webadmin.properties")) {
                without(directory.conf(file), PLUGIN + "|cors.");
                Files.writeString(
                        directory.conf(file), "#extensions.routes=", StandardOpenOption.APPEND);
            }
            directory.shell(install);
        }
        return directory;
    }

    private static void without(Path file, String lines) throws IOException {
        Pattern taken = Pattern.compile(lines);
        List<String> left = new ArrayList<>(Files.readAllLines(file));
        assertThat(left.removeIf(line -> taken.matcher(line).find())).isTrue();
        Files.write(file, left);
    }

    @Override
    JamesServer launch(ServerDirectory directory) throws IOException, InterruptedException {
        James38 server = new James38(directory, James38.Ports.free(), new Outside());
        server.awaitReady();
        // Behind a gateway something else stands in the place of DKIMVerify.
        boolean confirms =
                Files.readString(directory.conf("mailetcontainer.xml")).contains("DKIMVerify");
        assertThat(server.log().contains("neither SPF nor DKIMVerify")).isNotEqualTo(confirms);
        return server.withUsers();
    }

    @Override
    void sendAsUser(String recipient, String body) throws IOException {
        Letter letter = letter(JamesServer.IVY, "", body);
        ((James38) james()).sendAs(JamesServer.IVY, JamesServer.IVY, List.of(recipient), letter);
    }

    /** What the front page says, first to last, and learning from folders with its pipeline. */
    @Test
    @Override
    void theFrontPageFilesSpamButNotOfListedSendersNorOfPeopleWrittenTo() throws Exception {
        List<String> commands = Recipe.commands(Docs.FRONT, INSTALL);
        assertThat(commands).hasSize(2);
        install = commands.getFirst();
        Path learning = Docs.MANUAL.resolve("learning.md");
        start(frontPage().then(Recipe.of(learning, "## Learning from folders")));
        showThatItWorks(commands.getLast());
        fileSpamOfStrangers();
        learn();
        learnFromAMove();
    }

    private void showThatItWorks(String commands) throws Exception {
        String shown =
                james().directory()
                        .shell(
                                commands.replace(
                                                "127.0.0.1:25 ",
                                                "127.0.0.1:" + james().smtpPort() + " ")
                                        .replace(":8000/", ":" + james().webAdminPort() + "/"));
        assertThat(shown)
                .contains("\"verdict\":\"listed\"", "\"steps\":[")
                .containsPattern("\"componentName\":\"Sender whitelist\"[^}]*\"healthy\"")
                .containsPattern("\"countingSince\":\"20[^}]*\"lines\":\\[]")
                .contains("<title>Sender whitelist</title>");
        Letter mail =
                JamesServer.patiently()
                        .until(
                                () -> james().mails(JamesServer.SAM, JamesServer.INBOX),
                                mails -> !mails.isEmpty())
                        .getFirst();
        assertThat(mail.header(RealJames.HEADER).orElse("none"))
                .startsWith("not-listed; reason=unauthenticated;");
        assertThat(james().log())
                .contains(
                        "sender=<alice@example.com> verdict=not-listed reason=unauthenticated",
                        "INFO  " + PLUGIN);
    }

    private void learnFromAMove() throws IOException {
        String carl = "carl@friends.example";
        Letter spam = arrived(JamesServer.SPAM, carl, CONFIRMED, SPAMMY);
        try (ImapClient imap = ((James38) james()).imap(JamesServer.IVY)) {
            imap.move(JamesServer.SPAM, JamesServer.INBOX, imap.uid(JamesServer.SPAM, spam));
        }
        awaitInbox(carl);
        assertThat(james().log()).doesNotContain("no SenderWhitelist has <header>");
    }

    /** Rspamd with the rule for GTUBE alone, which it has without a configuration. */
    @Test
    void withTheRealRspamdSpamIsFiledButNotOfListedSenders() throws Exception {
        needs("/usr/bin/rspamd", "rspamd");
        int port = James38.Ports.free().smtp();
        Path folder = Files.createDirectories(Path.of("target/it/rspamd")).toAbsolutePath();
        Path conf = folder.resolve("rspamd.conf");
        Files.writeString(
                conf,
                """
                options {
                  pidfile = "%1$s/pid"; tempdir = "%1$s"; url_tld = "%1$s/tld";
                  dns { nameserver = ["127.0.0.1"]; }
                }
                logging { type = "console"; }
                actions { reject = 15; }
                worker "normal" { bind_socket = "127.0.0.1:%2$s"; count = 1; }
                """
                        .formatted(folder, port));
        Files.writeString(folder.resolve("tld"), "example\n");
        List<String> command =
                List.of(
                        "/usr/bin/rspamd",
                        "--no-fork",
                        "--insecure",
                        "--config=" + conf,
                        "--var=DBDIR=" + folder,
                        "--var=RUNDIR=" + folder);
        try (ServerProcess rspamd = daemon(folder, command, port)) {
            start(
                    Recipe.of(Docs.MANUAL.resolve("with-rspamd.md"), "## What to paste"),
                    "org.apache.james.rspamd.RspamdScanner",
                    RspamdAsker.class,
                    "<rspamdUrl>http://127.0.0.1:" + port + "</rspamdUrl>");
            fileSpamOfStrangers();
            assertThat(rspamd.log()).contains("S (reject)");
        }
    }

    /** SpamAssassin with the rules of the machine, but none that need a network. */
    @Test
    void withTheRealSpamdSpamIsFiledButNotOfListedSenders() throws Exception {
        needs("/usr/sbin/spamd", "spamd");
        int port = James38.Ports.free().smtp();
        Path folder = Files.createDirectories(Path.of("target/it/spamd")).toAbsolutePath();
        List<String> command =
                List.of(
                        "/usr/sbin/spamd",
                        "--local",
                        "--listen=127.0.0.1",
                        "--port=" + port,
                        "--nouser-config",
                        "--syslog=stderr",
                        "--pidfile=" + folder.resolve("pid"));
        status = "org.apache.james.spamassassin.status";
        try (ServerProcess spamd = daemon(folder, command, port)) {
            start(
                    Recipe.of(Docs.MANUAL.resolve("with-spamassassin.md"), "## What to paste"),
                    "org.apache.james.spamassassin.SpamAssassin",
                    SpamdAsker.class,
                    "<port>" + port + "</port>");
            fileSpamOfStrangers();
            assertThat(spamd.log()).contains("spamd: identified spam");
        }
    }

    private static void needs(String program, String name) {
        Needs.require(
                Files.isExecutable(Path.of(program)),
                "there is no " + program + " (Debian: " + name + "); no mail scanned by it");
    }

    /** Starts a scanner, and returns when it listens. */
    private static ServerProcess daemon(Path folder, List<String> command, int port)
            throws IOException {
        ServerProcess daemon = ServerProcess.start(folder, command, folder.resolve("log"));
        await().until(() -> !daemon.alive() || listens(port));
        assertThat(daemon.alive()).as(daemon::log).isTrue();
        return daemon;
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** SPF sees the gateway's address, so what it finds must not count. */
    @Test
    void behindAGatewayOnlyDkimConfirms() throws Exception {
        // DKIMVerify would put its own result in the place of the one that is set.
        start(
                Recipe.of(Docs.MANUAL.resolve("behind-a-gateway.md"), "## What to paste"),
                "org.apache.james.jdkim.mailets.DKIMVerify",
                GtubeScanner.class,
                "");
        String spam = "X-Spam-Flag: YES\r\n";
        arrived(JamesServer.INBOX, STRANGER, "", "Hello\r\n");
        arrived(JamesServer.SPAM, STRANGER, spam, "Hello\r\n");
        arrived(JamesServer.INBOX, ALICE, spam + SIGNED, "Hello\r\n");
        arrived(JamesServer.SPAM, ALICE, spam + CONFIRMED, "Hello\r\n");
    }

    /** The users' rules are run by James' own Sieve. */
    @Test
    @Override
    void inTheThirdRecipeMailsAreOnlyMarked() throws Exception {
        markOnly();
        Matcher script = SIEVE.matcher(Docs.read(RECIPES));
        assertThat(script.find()).isTrue();
        ((James38) james()).addSieve(JamesServer.IVY, script.group(1));
        Letter known = letter(ALICE, CONFIRMED, "Hello\r\n");
        james().send(ALICE, List.of(JamesServer.IVY), known);
        JamesServer.patiently()
                .until(
                        () ->
                                james().mails(JamesServer.IVY, "Known").stream()
                                        .anyMatch(mail -> mail.id().equals(known.id())));
        arrived(JamesServer.INBOX, ALICE, LISTED + ": yes\r\n", "Hello\r\n");
    }
}
