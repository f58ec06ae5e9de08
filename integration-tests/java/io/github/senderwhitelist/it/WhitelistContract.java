package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.EVE;
import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.IVY;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What the plugin promises, asked of a real James that runs the shipped {@code conf/}.
 *
 * <p>Added to the shipped pipeline: the matcher marks what it takes for listed; only sam's mails
 * get the verdict as headers, ivy's show what the rest of the pipeline makes of a mail; mail for
 * eve and for {@code explode@...} fails.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WhitelistContract {
    /** Long enough for a busy machine; nothing waits that long unless it is broken. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final String VERDICT = "X-Sender-Whitelist";
    private static final String ENTRY = "X-Sender-Whitelist-Entry";
    private static final String MATCHER = "X-Matcher";
    private static final String EXPLODING = "someone explodes";

    private static final String MATCHES =
            "io.github.senderwhitelist.mailet.SenderIsWhitelisted=file://conf/whitelist.txt";
    private static final String EXPLODE =
            "org.apache.james.transport.mailets.debug.ExceptionThrowingMailet";

    /** Header fields that James adds to every mail on its way to a mailbox. */
    private static final Set<String> ADDED = Set.of("return-path", "delivered-to", "received");

    /** Header fields that are set anew with the verdict. */
    private static final Set<String> SET_ANEW =
            Set.of("mime-version", "x-sender-whitelist", "x-sender-whitelist-entry", "x-matcher");

    /** Header fields that are added with the verdict where a mail has none. */
    private static final Set<String> COMPLETED = Set.of("date", "message-id");

    private static final Pattern REFUSED =
            Pattern.compile(
                    "(?m)^\\S+ (WARN|ERROR) +io\\.github\\.senderwhitelist\\S* -"
                            + " .*whitelist\\.txt");
    private static final List<String> LIST =
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
                    longest());

    private @Nullable Running running;

    @RegisterExtension
    final LogOnFailure logOnFailure =
            new LogOnFailure(() -> running == null ? "" : running.james().log());

    /** A server that was launched, and the line that says it is ready. */
    record Running(JamesServer james, ServerProcess process, String readyLine)
            implements AutoCloseable {
        boolean ready() {
            return process.log().contains(readyLine);
        }

        @Override
        public void close() {
            james.close();
        }
    }

    /** Where a mail arrived, and as what. */
    private record Arrival(String folder, Letter letter) {
        Optional<String> verdict() {
            return letter.header(VERDICT);
        }
    }

    /** The plugin's jar for this server. */
    abstract Path jar();

    /** Starts a server; returns at once. */
    abstract Running launch(ServerDirectory directory) throws IOException;

    /** Makes the users. */
    abstract void prepare(JamesServer james) throws IOException, InterruptedException;

    /**
     * Whether this James sets headers (MIME-Version first) of every mail, whatever its pipeline.
     */
    abstract boolean alwaysSetsHeaders();

    @BeforeAll
    void startServer() throws Exception {
        ServerDirectory directory = directory("server");
        directory.whitelist(LIST);
        directory.mailetContainer(
                conf ->
                        conf.insert(
                                        "root",
                                        MATCHES,
                                        "SetMailAttribute",
                                        Map.of("matcher", "listed"))
                                .match("local-delivery", "RemoveMimeHeader", "RecipientIs=" + SAM)
                                .match(
                                        "local-delivery",
                                        "MailAttributesToMimeHeaders",
                                        "RecipientIs=" + SAM)
                                .insert(
                                        "local-delivery",
                                        "RecipientIs=" + SAM,
                                        "MailAttributesToMimeHeaders",
                                        Map.of(
                                                "simplemapping",
                                                "matcher;" + MATCHER,
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
        Running started = launch(directory);
        running = started;
        patiently().until(() -> started.ready() || !started.process().alive());
        assertThat(started.ready()).as(() -> "started\n" + started.process().log()).isTrue();
        prepare(started.james());
    }

    @AfterAll
    void stopServer() {
        if (running != null) {
            running.close();
        }
    }

    // Verdicts

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "alice@example.com, alice@example.com",
                "ALICE@EXAMPLE.COM, alice@example.com",
                "alice+news@example.com, alice@example.com",
                "carol@example.com, carol@example.com",
                "anyone@example.org, @example.org",
                "anyone+tag@EXAMPLE.org, @example.org",
                "sender@a.lists.example.net, @.lists.example.net",
                "sender@b.a.lists.example.net, @.lists.example.net",
                "`\"john doe\"@example.com`, `\"john doe\"@example.com`",
                "orders@xn--bcher-kva.example, orders@xn--bcher-kva.example",
                "owner-news@example.com, owner-news@example.com",
            })
    void mailOfAListedSenderGoesToTheInbox(String sender, String entry) throws Exception {
        Arrival arrival = deliver(sender, Letter.simple("listed"));

        assertThat(arrival.folder()).isEqualTo(INBOX);
        assertThat(arrival.letter().headers(VERDICT)).containsExactly("listed");
        assertThat(arrival.letter().headers(ENTRY)).containsExactly(entry);
        assertThat(arrival.letter().headers(MATCHER)).containsExactly("listed");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            nullValues = "",
            emptyValue = "",
            value = {
                "stranger@example.com",
                "alic@example.com",
                "alice@sub.example.com",
                "mallory@example.org",
                "Mallory+tag@example.org",
                "anyone@sub.example.org",
                "anyone@notexample.org",
                "sender@lists.example.net",
                "sender@xlists.example.net",
                "`\"alice \"@example.com`",
                "orders@bcher.example",
            })
    void mailOfAnyOtherSenderGoesThroughTheSpamCheck(String sender) throws Exception {
        assertNotListed(deliver(sender, Letter.simple("not listed")));
    }

    @Test
    void theNullSenderIsNeverListed() throws Exception {
        assertNotListed(deliver("", Letters.of("a delivery report")));
    }

    @Test
    void anAddressAsLongAsItGetsIsListed() throws Exception {
        Arrival arrival = deliver(longest(), Letter.simple("long address"));

        assertThat(arrival.folder()).isEqualTo(INBOX);
        assertThat(arrival.letter().headers(VERDICT)).containsExactly("listed");
        assertNotListed(
                deliver("x" + longest().substring(1), Letter.simple("another long address")));
    }

    @Test
    void anAddressThatNoServerShouldTakeHarmsNothing() throws Exception {
        // 320 characters and more: James may refuse it or take it; if it takes it, the mail
        // arrives, unlisted.
        String sender = "a".repeat(64) + "@" + ("b".repeat(60) + ".").repeat(4) + "example.invalid";
        try {
            assertNotListed(deliver(sender, Letter.simple("too long")));
        } catch (SmtpClient.SmtpRefusal refusal) {
            assertThat(refusal.getMessage()).startsWith("5");
        }
        assertThat(deliver("alice@example.com", Letter.simple("after it")).folder())
                .isEqualTo(INBOX);
    }

    // Mails

    static Stream<Arguments> kinds() {
        return Letters.all().entrySet().stream()
                .map(kind -> Arguments.of(kind.getKey(), kind.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void aMailArrivesAsItWasSent(String kind, Letter letter) throws Exception {
        send("alice@example.com", List.of(SAM, IVY), letter);
        Arrival listed = arrival(SAM, letter);
        assertThat(listed.folder()).isEqualTo(INBOX);
        assertSame(letter, listed.letter(), true);
        assertSame(letter, arrival(IVY, letter).letter(), alwaysSetsHeaders());

        Letter again = new Letter(letter.text().replace(letter.id(), UUID.randomUUID().toString()));
        send("stranger@example.com", List.of(SAM, IVY), again);
        Arrival notListed = arrival(SAM, again);
        assertNotListed(notListed);
        assertSame(again, notListed.letter(), true);
        assertSame(again, arrival(IVY, again).letter(), alwaysSetsHeaders());
    }

    @Test
    void aMailForSeveralArrivesOnceForEach() throws Exception {
        Letter letter = Letter.simple("for four");
        send(
                "alice@example.com",
                List.of(SAM, IVY, "one@elsewhere.example", "two@elsewhere.example"),
                letter);

        assertSame(letter, arrival(IVY, letter).letter(), alwaysSetsHeaders());
        arrival(SAM, letter);
        relayed("one@elsewhere.example", letter);
        relayed("two@elsewhere.example", letter);
        barrier();
        assertThat(copies(SAM, letter)).isEqualTo(1);
        assertThat(copies(IVY, letter)).isEqualTo(1);
        assertThat(copies(james().relayed("one@elsewhere.example"), letter)).isEqualTo(1);
        assertThat(copies(james().relayed("two@elsewhere.example"), letter)).isEqualTo(1);
    }

    @Test
    void mailToOtherServersIsSentOnWhetherListedOrNot() throws Exception {
        for (String sender : List.of("alice@example.com", "stranger@example.com")) {
            Letter letter = Letters.of("plain text");
            send(sender, List.of("three@elsewhere.example"), letter);

            Letter relayed = relayed("three@elsewhere.example", letter);
            assertThat(relayed.fields())
                    .containsSubsequence(
                            letter.fields().stream()
                                    .filter(field -> !SET_ANEW.contains(Letter.name(field)))
                                    .toList());
            assertThat(relayed.headers(VERDICT))
                    .as("the verdict is for this server only")
                    .isEmpty();
            // GreenMail keeps no last line end.
            assertThat(relayed.body().stripTrailing()).isEqualTo(letter.body().stripTrailing());
        }
    }

    // Bounces

    @Test
    void aBounceComesBackOnceAndIsNotListed() throws Exception {
        String unique = UUID.randomUUID().toString();
        Letter letter = Letter.simple("will bounce " + unique);
        send(SAM, List.of("explode@elsewhere.example"), letter);

        Callable<List<Letter>> bounces =
                () ->
                        james().mails(SAM, UNLISTED).stream()
                                .filter(
                                        mail ->
                                                !mail.id().equals(letter.id())
                                                        && mail.text().contains(unique))
                                .toList();
        patiently().until(() -> !bounces.call().isEmpty());
        barrier();
        assertThat(bounces.call())
                .singleElement()
                .satisfies(
                        bounce ->
                                assertThat(bounce.headers(VERDICT)).containsExactly("not-listed"));
    }

    @Test
    void aBounceThatFailsIsNotBouncedAgain() throws Exception {
        // Mail for eve fails, and so does the bounce, which is for eve.
        send(EVE, List.of(EVE), Letter.simple("will bounce twice"));

        patiently().until(() -> count(james().log(), EXPLODING) == 2);
        barrier();
        barrier();
        assertThat(count(james().log(), EXPLODING)).isEqualTo(2);
    }

    // The list changes

    @Test
    void editsTakeEffectWhileMailsFlowAndNoneIsLostOrDoubled() throws Exception {
        String leaver = "leaver@example.com";
        String joiner = "joiner@example.com";
        putList(leaver);
        try (MailFlow mails = new MailFlow(james(), List.of(leaver, joiner))) {
            patiently()
                    .until(
                            () ->
                                    mails.latest(leaver).equals("listed")
                                            && mails.latest(joiner).equals("not-listed"));

            // A rename, as careful editors do.
            james().directory().whitelist(with(joiner));
            patiently()
                    .until(
                            () ->
                                    mails.latest(leaver).equals("not-listed")
                                            && mails.latest(joiner).equals("listed"));
            assertFromNowOn(mails, Map.of(leaver, "not-listed", joiner, "listed"));

            // In place, as a shell does.
            Files.write(james().directory().whitelist(), with(leaver));
            patiently()
                    .until(
                            () ->
                                    mails.latest(leaver).equals("listed")
                                            && mails.latest(joiner).equals("not-listed"));
            assertFromNowOn(mails, Map.of(leaver, "listed", joiner, "not-listed"));

            mails.stop();
            patiently().until(() -> mails.arrived().size() >= mails.sent());
            barrier();
            assertThat(mails.arrived().stream().map(MailFlow.Arrived::number))
                    .as("numbers of the mails that arrived")
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, mails.sent()).boxed().toList());
            assertThat(mails.arrived())
                    .allSatisfy(
                            mail ->
                                    assertThat(mail.folder())
                                            .isEqualTo(
                                                    mail.verdict().equals("listed")
                                                            ? INBOX
                                                            : UNLISTED));
        } finally {
            putList();
        }
    }

    private static void assertFromNowOn(MailFlow mails, Map<String, String> verdicts)
            throws IOException {
        int from = mails.sent() + 1;
        int to = from + 40;
        Callable<List<MailFlow.Arrived>> window =
                () ->
                        mails.arrived().stream()
                                .filter(mail -> mail.number() >= from && mail.number() < to)
                                .toList();
        List<MailFlow.Arrived> arrived =
                patiently().until(window, list -> list.size() >= to - from);
        assertThat(arrived)
                .allSatisfy(
                        mail -> assertThat(mail.verdict()).isEqualTo(verdicts.get(mail.sender())));
    }

    @Test
    void anEmptyListIsNotBelieved() throws Exception {
        assertRefused(new byte[0]);
    }

    @Test
    void aBinaryFileIsNotBelieved() throws Exception {
        byte[] picture = new byte[20_000];
        new Random(7).nextBytes(picture);
        picture[0] = (byte) 0x89;
        picture[5] = 0;
        assertRefused(picture);
    }

    /** The old verdicts stay in force, the log says why, and the next good list is taken. */
    private void assertRefused(byte[] bad) throws Exception {
        putList();
        int before = refusals();
        Path next = james().directory().conf("whitelist.txt.new");
        Files.write(next, bad);
        Files.move(next, james().directory().whitelist(), StandardCopyOption.REPLACE_EXISTING);
        try {
            patiently()
                    .untilAsserted(
                            () -> {
                                assertThat(
                                                deliver(
                                                                "alice@example.com",
                                                                Letter.simple("during a bad list"))
                                                        .verdict())
                                        .as("verdict while the file is bad")
                                        .hasValue("listed");
                                assertThat(refusals())
                                        .as("lines in the log that refuse the file")
                                        .isGreaterThan(before);
                            });
            assertThat(deliver("alice@example.com", Letter.simple("after a bad list")).folder())
                    .isEqualTo(INBOX);
            assertNotListed(deliver("stranger@example.com", Letter.simple("after a bad list")));
            assertNotListed(deliver("mallory@example.org", Letter.simple("after a bad list")));
        } finally {
            putList("newcomer@example.com");
        }
        assertThat(deliver("newcomer@example.com", Letter.simple("after the repair")).folder())
                .isEqualTo(INBOX);
        putList();
    }

    private int refusals() {
        return (int) REFUSED.matcher(james().log()).results().count();
    }

    // Wrong configurations

    static Stream<Arguments> wrongConfigurations() {
        return Stream.of(
                Arguments.of(
                        "an unknown parameter",
                        Map.of("whitelst", "x"),
                        List.of("whitelst", "onNotWhitelisted")),
                Arguments.of(
                        "a wrong value",
                        Map.of("filter", "quantum"),
                        List.of("filter", "quantum", "blocked")),
                Arguments.of(
                        "a number that is none",
                        Map.of("falsePositiveRate", "2"),
                        List.of("falsePositiveRate", "2")),
                Arguments.of(
                        "a missing list",
                        Map.of("whitelist", "file://conf/no-such-list.txt"),
                        List.of("no-such-list.txt")),
                Arguments.of(
                        "an unknown processor",
                        Map.of("onWhitelisted", "nowhere"),
                        List.of("nowhere")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongConfigurations")
    void aWrongConfigurationRefusesToStart(
            String kind, Map<String, String> parameters, List<String> words) throws Exception {
        ServerDirectory directory = directory("refused-" + kind.replace(' ', '-'));
        directory.mailetContainer(conf -> conf.set(MailetContainer.WHITELIST, parameters));
        assertRefusesToStart(directory, words);
    }

    @Test
    void aMissingParameterRefusesToStart() throws Exception {
        ServerDirectory directory = directory("refused-no-list");
        directory.mailetContainer(conf -> conf.unset(MailetContainer.WHITELIST, "whitelist"));
        assertRefusesToStart(directory, List.of("whitelist"));
    }

    private void assertRefusesToStart(ServerDirectory directory, List<String> words)
            throws IOException {
        try (Running refused = launch(directory)) {
            patiently().until(() -> !refused.process().alive() || refused.ready());

            assertThat(refused.process().alive())
                    .as(() -> "still runs\n" + LogOnFailure.end(refused.process().log()))
                    .isFalse();
            assertThat(refused.process().exitCode()).isEqualTo(1);
            assertThat(refused.process().log().lines())
                    .as("a line of the log that says why: %s", refused.process().logFile())
                    .anySatisfy(line -> assertThat(line).contains(words));
        }
    }

    // Help

    private JamesServer james() {
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running.james();
    }

    private ServerDirectory directory(String name) throws IOException {
        return ServerDirectory.create(
                Path.of("target/it", getClass().getSimpleName(), name), jar());
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).pollInSameThread();
    }

    /** Local part and domain as long as RFC 5321 allows. */
    private static String longest() {
        return "l".repeat(64)
                + "@"
                + ("d".repeat(61) + ".").repeat(2)
                + "d".repeat(50)
                + ".example";
    }

    private void send(String sender, List<String> recipients, Letter letter) throws IOException {
        try (SmtpClient smtp = new SmtpClient(james().smtpPort())) {
            smtp.send(sender, recipients, letter.bytes());
        }
    }

    /** Sends a mail to sam and waits until it has arrived. */
    private Arrival deliver(String sender, Letter letter) throws IOException {
        send(sender, List.of(SAM), letter);
        return arrival(SAM, letter);
    }

    private Arrival arrival(String user, Letter letter) {
        AtomicReference<@Nullable Arrival> arrival = new AtomicReference<>();
        patiently()
                .until(
                        () -> {
                            for (String folder : List.of(INBOX, UNLISTED)) {
                                james().mails(user, folder).stream()
                                        .filter(mail -> mail.id().equals(letter.id()))
                                        .findFirst()
                                        .ifPresent(mail -> arrival.set(new Arrival(folder, mail)));
                            }
                            return arrival.get() != null;
                        });
        return Objects.requireNonNull(arrival.get());
    }

    private Letter relayed(String recipient, Letter letter) {
        return patiently()
                .until(
                        () ->
                                james().relayed(recipient).stream()
                                        .filter(mail -> mail.id().equals(letter.id()))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private long copies(String user, Letter letter) throws IOException {
        return copies(james().mails(user, INBOX), letter)
                + copies(james().mails(user, UNLISTED), letter);
    }

    private static long copies(List<Letter> mails, Letter letter) {
        return mails.stream().filter(mail -> mail.id().equals(letter.id())).count();
    }

    /**
     * Returns when mails sent after everything before have gone all the way: what was to come twice
     * has come.
     */
    private void barrier() throws IOException {
        deliver("alice@example.com", Letter.simple("barrier"));
        deliver("stranger@example.com", Letter.simple("barrier"));
    }

    private static void assertNotListed(Arrival arrival) {
        assertThat(arrival.folder()).isEqualTo(UNLISTED);
        assertThat(arrival.letter().headers(VERDICT)).containsExactly("not-listed");
        assertThat(arrival.letter().headers(MATCHER)).isEmpty();
    }

    /**
     * The same body, the same header fields in the same order; James adds those on a mail's way,
     * and where a mailet sets headers puts MIME-Version first and adds what a mail must have.
     */
    private static void assertSame(Letter sent, Letter arrived, boolean headersSet) {
        List<String> expected = new ArrayList<>(sent.fields());
        List<String> fields = new ArrayList<>(arrived.fields());
        if (headersSet) {
            expected.removeIf(field -> SET_ANEW.contains(Letter.name(field)));
            fields.removeIf(
                    field ->
                            SET_ANEW.contains(Letter.name(field))
                                    || (COMPLETED.contains(Letter.name(field))
                                            && !expected.contains(field)));
        }
        fields.removeIf(field -> ADDED.contains(Letter.name(field)) && !expected.contains(field));
        assertThat(fields).isEqualTo(expected);
        assertThat(arrived.body()).isEqualTo(sent.body());
    }

    private static int count(String text, String word) {
        return text.split(Pattern.quote(word), -1).length - 1;
    }

    private static List<String> with(String... more) {
        List<String> lines = new ArrayList<>(LIST);
        lines.addAll(List.of(more));
        return lines;
    }

    /** Puts the tests' list and these entries in place, and waits until they are in force. */
    private void putList(String... more) throws IOException {
        String marker = "marker-" + UUID.randomUUID() + "@example.com";
        List<String> lines = with(more);
        lines.add(marker);
        james().directory().whitelist(lines);
        patiently()
                .until(
                        () ->
                                deliver(marker, Letter.simple("is the list in force?"))
                                        .verdict()
                                        .equals(Optional.of("listed")));
    }
}
