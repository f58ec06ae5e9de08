package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.IVY;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.SPAM;
import static io.github.senderwhitelist.it.JamesServer.patiently;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.it.JamesServer.Arrival;
import io.github.senderwhitelist.it.scanner.GtubeScanner;
import io.github.senderwhitelist.tools.Docs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The recipes of the front page and of the manual, pasted where they say into a pipeline with the
 * processors of James' own, in a James that then starts and delivers mail.
 *
 * <p>A mailet of the tests scans in the place of James' Rspamd extension, which Maven Central
 * lacks. What SPF and DKIM find is set: there is no DNS for these domains.
 */
abstract class RecipeContract {
    static final Path RECIPES = Docs.MANUAL.resolve("recipes.md");
    static final String INSTALL = "## Install";
    static final String ONLY_MARKED = "## Only marked, for rules of users";
    static final String ALICE = "alice@example.com";
    private static final String OWN = "@here.example";

    /** Is listed for ivy alone. */
    private static final String IVYS = "friend@example.com";

    static final String STRANGER = "stranger@elsewhere.example";
    static final String LISTED = "X-Sender-Listed";

    /** What anybody can write, and readers must not see. */
    private static final String FORGED = RealJames.HEADER + ": listed; reason=forged\r\n";

    /** A header of mails that count as sent by ivy, who has logged in. */
    static final String LOGGED_IN = "X-Test-Logged-In: yes\r\n";

    /** Headers of mails that count as signed by example.com. */
    static final String SIGNED =
            "X-Test-Signed: yes\r\nDKIM-Signature: v=1; a=rsa-sha256; d=example.com; b=aGk=\r\n";

    static final String CONFIRMED = "X-Test-Confirmed: yes\r\n";
    private static final String BOB = "bob@friends.example";
    private static final String BODY = "Hello\r\n";
    static final String SPAMMY = GtubeScanner.GTUBE + "\r\n";

    /** The header in which the scanner notes its result. */
    String status = GtubeScanner.STATUS;

    private @Nullable JamesServer james;

    @RegisterExtension
    final LogOnFailure logOnFailure = new LogOnFailure(() -> james == null ? "" : james.log());

    /** Returns the working directory of a server with the plugin. */
    abstract ServerDirectory directory() throws IOException, InterruptedException;

    /** Starts a server with users, and returns when it is ready. */
    abstract JamesServer launch(ServerDirectory directory) throws IOException, InterruptedException;

    /** Sends a mail of ivy, who has logged in. */
    abstract void sendAsUser(String recipient, String body) throws IOException;

    @AfterEach
    void stop() {
        if (james != null) {
            james.close();
        }
    }

    JamesServer james() {
        return Objects.requireNonNull(james);
    }

    /** Does what a page says in a fresh configuration, and starts James. */
    void start(Recipe recipe) throws IOException, InterruptedException {
        start(recipe, "org.apache.james.rspamd.RspamdScanner", GtubeScanner.class, "");
    }

    /** The same with another scanner, and with parameters for what stands in its place. */
    void start(Recipe recipe, String scanner, Class<?> standIn, String parameters)
            throws IOException, InterruptedException {
        start(Recipe.stock(), recipe, scanner, standIn, parameters);
    }

    private void start(
            List<String> stock, Recipe recipe, String scanner, Class<?> standIn, String parameters)
            throws IOException, InterruptedException {
        ServerDirectory directory = directory();
        Files.write(directory.conf("mailetcontainer.xml"), stock);
        Files.delete(directory.conf("whitelists.xml"));
        directory.whitelist(List.of(ALICE, OWN, IVYS + " to=" + IVY));
        recipe.into(directory);
        Path pipeline = directory.conf("mailetcontainer.xml");
        Files.writeString(
                pipeline,
                Files.readString(pipeline)
                        .replace(
                                "class=\"" + scanner + "\">",
                                "class=\"" + standIn.getName() + "\">" + parameters));
        Map<String, Map<String, String>> findings =
                Map.of(
                        "X-Test-Confirmed", MailetContainer.SPF_PASSES,
                        "X-Test-Signed", Map.of("jDKIM.AUTHRESULT", "pass (identity @example.com)"),
                        "X-Test-Logged-In", Map.of("org.apache.james.SMTPAuthUser", IVY));
        directory.mailetContainer(
                conf ->
                        findings.forEach(
                                (header, attributes) ->
                                        conf.insert(
                                                "root",
                                                "HasHeader=" + header,
                                                "SetMailAttribute",
                                                attributes)));
        james = launch(directory);
    }

    /** Sends ivy a mail, and waits until it has arrived. */
    Letter arrived(String folder, String sender, String headers, String body) throws IOException {
        Letter letter = letter(sender, headers, body);
        james().send(sender, List.of(IVY), letter);
        return arrived(folder, IVY, letter);
    }

    static Letter letter(String sender, String headers, String body) {
        return Letter.of("From: <" + sender + ">\r\nSubject: hello\r\n" + FORGED + headers, body);
    }

    /** Waits until a user has a mail, which must be in this folder. */
    private Letter arrived(String folder, String user, Letter letter) {
        Arrival arrival = james().arrival(user, letter);
        String text = arrival.letter().text();
        assertThat(arrival.folder()).as(text).isEqualTo(folder);
        assertThat(arrival.letter().verdict()).as(text).isPresent();
        assertThat(text).doesNotContain("forged");
        return arrival.letter();
    }

    /** Sends a mail to two users, for one of whom its sender is listed. */
    private void arriveSplit() throws IOException {
        Letter letter = letter(IVYS, CONFIRMED, BODY);
        james().send(IVYS, List.of(IVY, SAM), letter);
        assertThat(arrived(INBOX, IVY, letter).verdict()).contains("listed");
        assertThat(arrived(INBOX, SAM, letter).verdict()).contains("not-listed");
    }

    private void assertScanned(Letter letter, String result) {
        assertThat(letter.header(status).orElse("not scanned")).startsWith(result);
    }

    static Recipe frontPage() throws IOException {
        return Recipe.of(Docs.FRONT, INSTALL)
                .then(Recipe.of(Docs.FRONT, "## Mail from people you know"));
    }

    void fileSpamOfStrangers() throws IOException {
        assertScanned(arrived(INBOX, STRANGER, "", BODY), "No");
        assertScanned(arrived(SPAM, STRANGER, CONFIRMED, SPAMMY), "Yes");
        assertScanned(arrived(INBOX, ALICE, CONFIRMED, SPAMMY), "Yes");
        assertScanned(arrived(SPAM, ALICE, "", SPAMMY), "Yes");
        assertThat(Docs.read(Docs.FRONT)).contains("`" + OWN + "`");
        assertScanned(own(SPAMMY), "Yes");
        arriveSplit();
    }

    /** Lets ivy write to herself, and returns the mail, which must be in her inbox. */
    private Letter own(String body) throws IOException {
        sendAsUser(IVY, body);
        Letter own =
                patiently()
                        .until(
                                () ->
                                        james().mails(IVY, INBOX).stream()
                                                .filter(
                                                        mail ->
                                                                mail.text()
                                                                        .contains(
                                                                                "\nFrom: <" + IVY))
                                                .findFirst(),
                                Optional::isPresent)
                        .orElseThrow();
        assertThat(own.text()).doesNotContain("forged");
        return own;
    }

    /** Waits until the next mail of a sender arrives in the inbox, though it looks like spam. */
    void awaitInbox(String sender) {
        patiently()
                .until(
                        () ->
                                james().folder(sender, IVY, letter(sender, CONFIRMED, SPAMMY))
                                        .equals(INBOX));
    }

    void learn() throws IOException {
        assertScanned(arrived(SPAM, BOB, CONFIRMED, SPAMMY), "Yes");
        sendAsUser(BOB, BODY);
        // It is learned from a mail while that goes on its way.
        awaitInbox(BOB);
        assertScanned(arrived(INBOX, BOB, CONFIRMED, SPAMMY), "Yes");
        assertScanned(arrived(SPAM, BOB, "", SPAMMY), "Yes");
    }

    /** The front page, first to last: install, and mail from people you know. */
    @Test
    void theFrontPageFilesSpamButNotOfListedSendersNorOfPeopleWrittenTo() throws Exception {
        start(frontPage());
        fileSpamOfStrangers();
        learn();
    }

    @Test
    void theManualsFirstRecipeIsThatOfTheFrontPage() throws Exception {
        assertThat(Recipe.of(RECIPES, "## Spam of listed senders stays in INBOX"))
                .isEqualTo(Recipe.of(Docs.FRONT, INSTALL).pipeline());
    }

    /** So that James starts with the whole files, since it does with what is pasted. */
    @Test
    void theWholeFilesAreWhatThePagesMakeOfTheStockFile() throws Exception {
        assertThat(pasted(frontPage())).isEqualTo(Recipe.whole(Recipe.SPAM_FOLDER));
        assertThat(pasted(Recipe.of(RECIPES, ONLY_MARKED))).isEqualTo(Recipe.whole(Recipe.MARKED));
    }

    private List<String> pasted(Recipe recipe) throws IOException, InterruptedException {
        ServerDirectory directory = directory();
        Files.write(directory.conf("mailetcontainer.xml"), Recipe.stock());
        recipe.into(directory);
        return Files.readAllLines(directory.conf("mailetcontainer.xml"));
    }

    /** The page Learning has a living list alone, whose learned senders are confirmed anyway. */
    @Test
    void theRecipeOfThePageLearningIsThatOfTheFrontPage() throws Exception {
        Recipe learning = Recipe.of(Docs.MANUAL.resolve("learning.md"), "## Whom users write to");
        List<String> expected = pasted(frontPage());
        expected.remove("<requireAuthentication>any</requireAuthentication>");
        expected.replaceAll(
                line ->
                        line.replace("file://conf/whitelist.txt,own", "own")
                                .replace(";requireAuthentication=any", ""));
        assertThat(pasted(learning)).isEqualTo(expected);
        assertThat(lists(learning)).isEqualTo(lists(frontPage())).hasSize(1);
    }

    /** Returns what becomes of the file of named lists, each on one line. */
    private static List<String> lists(Recipe recipe) {
        return recipe.pieces().stream()
                .filter(piece -> piece.file().equals("whitelists.xml"))
                .map(piece -> String.join("", piece.lines()))
                .toList();
    }

    /** The memory server with a processor transport as that of JPA's server. */
    @Test
    void whereTransportDeliversSpamOfStrangersIsFiledThere() throws Exception {
        Recipe filing = Recipe.of(RECIPES, "### Other servers");
        Recipe first = Recipe.of(RECIPES, "## Spam of listed senders stays in INBOX");
        List<String> stock = Recipe.stock();
        int local = stock.indexOf("<mailet match=\"RecipientIsLocal\" class=\"ToProcessor\">");
        stock.subList(local, local + 3).clear();
        stock.add(local, "<mailet match=\"RecipientIsLocal\" class=\"AddDeliveredToHeader\"/>");
        stock.add(local + 1, "<mailet match=\"RecipientIsLocal\" class=\"LocalDelivery\"/>");
        start(
                stock,
                new Recipe(List.of(first.pieces().getFirst())).then(filing),
                "org.apache.james.rspamd.RspamdScanner",
                GtubeScanner.class,
                "");
        fileSpamOfStrangers();
    }

    @Test
    void inTheSecondRecipeListedMailSkipsTheScannerAndUsersAreNotAskedAbout() throws Exception {
        start(Recipe.of(RECIPES, "## Listed mail skips the filter"));
        assertScanned(arrived(INBOX, STRANGER, "", BODY), "No");
        assertScanned(arrived(SPAM, STRANGER, CONFIRMED, SPAMMY), "Yes");
        assertScanned(arrived(INBOX, ALICE, CONFIRMED, SPAMMY), "not scanned");
        assertScanned(arrived(SPAM, ALICE, "", SPAMMY), "Yes");
        assertScanned(own(SPAMMY), "not scanned");
        arriveSplit();
    }

    @Test
    void inTheThirdRecipeMailsAreOnlyMarked() throws Exception {
        markOnly();
    }

    void markOnly() throws Exception {
        start(Recipe.of(RECIPES, ONLY_MARKED));
        Letter listed = arrived(INBOX, ALICE, CONFIRMED, BODY);
        assertThat(listed.header(LISTED)).contains("yes");
        String header = listed.header("X-Sender-Whitelist").orElse("").split("by=", -1)[0];
        assertThat(Docs.read(Docs.FRONT)).contains("X-Sender-Whitelist: " + header + "by=");
        Letter forged = arrived(INBOX, ALICE, LISTED + ": yes\r\n", BODY);
        assertThat(forged.headers(LISTED)).isEmpty();
        assertThat(forged.verdict()).contains("not-listed");
        arriveSplit();
    }
}
