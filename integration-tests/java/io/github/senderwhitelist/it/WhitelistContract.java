package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.ALIAS_DOMAIN;
import static io.github.senderwhitelist.it.JamesServer.ALIAS_OF_IVY;
import static io.github.senderwhitelist.it.JamesServer.ANN;
import static io.github.senderwhitelist.it.JamesServer.EVE;
import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.IVY;
import static io.github.senderwhitelist.it.JamesServer.JOE;
import static io.github.senderwhitelist.it.JamesServer.LEE;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.TAGGED_LEE;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.it.JamesServer.Arrival;
import io.github.senderwhitelist.mailet.verdict.Seals;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tests on a real James what the plugin promises. */
abstract class WhitelistContract extends RealJames {
    private static final Pattern REFUSED =
            Pattern.compile(
                    "(?m)^\\S+ (WARN|ERROR) +io\\.github\\.senderwhitelist\\S* -"
                            + " .*whitelist\\.txt");

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

    // Conditions

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(
            nullValues = "-",
            value = {
                "friend@auth.example, spf pass, listed",
                "friend@auth.example, dkim pass, listed",
                "friend@auth.example, spf fail, unauthenticated",
                "friend@auth.example, dkim fail, unauthenticated",
                "friend@auth.example, dkim other, unauthenticated",
                "friend@auth.example, nothing, unauthenticated",
                "friend@auth.example, -, unauthenticated",
                "ivy@here.example, -, listed",
                "ivy@here.example, nothing, unauthenticated",
                "signed@auth.example, spf pass, unauthenticated",
                "signed@auth.example, dkim pass, listed",
                "alice@example.com, nothing, listed",
                "stranger@auth.example, dkim pass, stranger",
                "past@example.com, -, expired",
                "second@example.net, -, listed",
                "traitor@example.org, -, denied",
                "loyal@example.org, -, listed",
            })
    void theReasonIsOnTheMail(String sender, @Nullable String found, String reason)
            throws Exception {
        // What a forger writes into the mail does not help; nor does a signature that is none. A
        // mail without findings is from an authorised network, which confirms this server's own.
        String claims =
                String.join(
                        "\r\n",
                        "Authentication-Results: here.example; dkim=pass header.d=auth.example",
                        "DKIM-Signature: v=1; i=@auth.example",
                        FOUND + ": " + found,
                        "");
        Letter letter =
                Letter.of("Subject: conditions\r\n" + (found == null ? "" : claims), "Hello\r\n");
        Arrival arrival = deliver(sender, letter);

        assertThat(arrival.letter().headers(REASON)).containsExactly(reason);
        assertThat(arrival.folder()).isEqualTo(reason.equals("listed") ? INBOX : UNLISTED);
        assertThat(verdict(arrival)).hasValue(reason.equals("listed") ? "listed" : "not-listed");
    }

    @Test
    void theConfirmedAnswerOfSomebodyWhomTheUserWroteToIsListedForThatUserOnly() throws Exception {
        String bob = "bob-" + UUID.randomUUID() + "@auth.example";
        assertThat(deliver(bob, answer(bob, "spf pass")).folder()).isEqualTo(UNLISTED);
        Letter written = Letter.of("Subject: hello\r\n" + FOUND + ": login\r\n", "Hello\r\n");
        send(SAM, List.of(bob), written);
        relayed(bob, written);

        assertThat(deliver(bob, answer(bob, "spf pass")).folder()).isEqualTo(INBOX);
        Arrival forged = deliver(bob, answer(bob, "spf fail"));
        assertThat(forged.folder()).isEqualTo(UNLISTED);
        assertThat(forged.letter().headers(REASON)).containsExactly("unauthenticated");
        Letter toIvy = answer(bob, "spf pass");
        send(bob, List.of(IVY), toIvy);
        assertThat(arrival(IVY, toIvy).folder()).isEqualTo(UNLISTED);
    }

    private static Letter answer(String from, String found) {
        return Letter.of(
                "From: <" + from + ">\r\nSubject: answer\r\n" + FOUND + ": " + found + "\r\n",
                "Hello\r\n");
    }

    /**
     * The matcher, which knows only one list, splits the first mail. The mailet splits the second.
     */
    @ParameterizedTest
    @CsvSource({"tenant@example.com, listed", "mixed@example.net, -"})
    void aMailIsSplitBetweenRecipientsInScopeAndOthers(String sender, String matched)
            throws Exception {
        Letter letter = Letter.simple("for some in scope");
        send(sender, List.of(SAM, IVY, "one@elsewhere.example", "two@elsewhere.example"), letter);

        Arrival inScope = arrival(SAM, letter);
        assertThat(inScope.folder()).isEqualTo(INBOX);
        assertThat(inScope.letter().headers(REASON)).containsExactly("listed");
        assertThat(inScope.letter().header(MATCHER).orElse("-")).isEqualTo(matched);
        assertThat(arrival(IVY, letter).folder()).isEqualTo(UNLISTED);
        relayed("one@elsewhere.example", letter);
        relayed("two@elsewhere.example", letter);
        barrier();
        assertThat(copies(SAM, letter)).isEqualTo(1);
        assertThat(copies(IVY, letter)).isEqualTo(1);
        assertThat(copies(james().relayed("one@elsewhere.example"), letter)).isEqualTo(1);
        assertThat(copies(james().relayed("two@elsewhere.example"), letter)).isEqualTo(1);
    }

    @Test
    void anEntryExpiresWhileTheServerRuns() throws Exception {
        // The list is put in place once; only time passes after that.
        Instant end = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(25);
        putList("leaving@example.com until=" + end);
        try {
            assertThat(deliver("leaving@example.com", Letter.simple("in time")).folder())
                    .isEqualTo(INBOX);
            patiently()
                    .until(
                            () ->
                                    deliver("leaving@example.com", Letter.simple("late"))
                                            .letter()
                                            .headers(REASON)
                                            .equals(List.of("expired")));
            assertThat(Instant.now()).isAfterOrEqualTo(end);
        } finally {
            putList();
        }
    }

    // The header

    @ParameterizedTest
    @CsvSource({
        "tenant@example.com, listed; reason=listed, not-listed; reason=stranger",
        "mixed@example.net, listed; reason=listed, not-listed; reason=stranger",
        "former@example.net, not-listed; reason=expired, not-listed; reason=stranger",
        "alice@example.com, listed; reason=listed, listed; reason=listed",
    })
    void eachRecipientSeesItsOwnVerdict(String sender, String forSam, String forIvy)
            throws Exception {
        Letter letter = Letters.of("a lie about the verdict");
        send(sender, List.of(SAM, IVY), letter);

        assertHeader(arrival(SAM, letter).letter(), SAM, forSam);
        assertHeader(arrival(IVY, letter).letter(), IVY, forIvy);
    }

    /** The first recipient is a user, the second an alias, the third has a tag, and so on. */
    @ParameterizedTest
    @CsvSource({
        "club@example.net, listed, expired, denied, unauthenticated, stranger",
        "ring@example.net, denied, listed, listed, listed, denied",
    })
    void eachOfFiveUsersHasItsOwnAnswer(
            String sender, String sam, String ivy, String lee, String ann, String joe)
            throws Exception {
        // James gives a mail an ID that has none, so the seal would not fit.
        Letter letter =
                Letter.of(
                        "Message-ID: <"
                                + UUID.randomUUID()
                                + "@example.net>\r\nFrom: "
                                + sender
                                + "\r\n",
                        "Hello\r\n");
        send(sender, List.of(SAM, ALIAS_OF_IVY, TAGGED_LEE, "ann@" + ALIAS_DOMAIN, JOE), letter);

        Map<String, String> answers = Map.of(SAM, sam, IVY, ivy, LEE, lee, ANN, ann, JOE, joe);
        for (Map.Entry<String, String> answer : answers.entrySet()) {
            String user = answer.getKey();
            boolean listed = answer.getValue().equals("listed");
            Arrival arrival = arrival(user, letter);
            assertThat(arrival.folder()).as(user).isEqualTo(listed ? INBOX : UNLISTED);
            assertHeader(
                    arrival.letter(),
                    user,
                    (listed ? "" : "not-") + "listed; reason=" + answer.getValue());
            for (String other : answers.keySet()) {
                if (!other.equals(user)) {
                    assertThat(arrival.letter().text()).doesNotContain("to=" + other);
                }
            }
        }
        barrier();
        for (String user : answers.keySet()) {
            assertThat(copies(user, letter)).as(user).isEqualTo(1);
        }
    }

    /** James' queue in memory doubles the headers of the part of a mail that is split off. */
    private void assertHeader(Letter letter, String user, String expected) throws Exception {
        List<String> headers = letter.headers(HEADER).stream().distinct().toList();
        assertThat(headers)
                .singleElement()
                .asString()
                .startsWith(expected + "; sender=envelope; confirmed=none; by=");
        Path key = james().directory().path().resolve("var/whitelist/header.key");
        for (String recipient : List.of(SAM, IVY, LEE, ANN, JOE)) {
            assertThat(Seals.verify(Files.readAllBytes(key), letter.bytes(), recipient))
                    .as("%s's header for %s", user, recipient)
                    .isEqualTo(recipient.equals(user));
        }
    }

    @Test
    void nobodyGetsAForgedHeader() throws Exception {
        Letter letter =
                Letter.of(
                        "From: me@here.example\r\n"
                                + HEADER
                                + ": listed\r\nSubject: my own\r\n"
                                + FOUND
                                + ": login\r\n",
                        "Hello\r\n");
        assertThat(deliver("stranger@example.com", letter).letter().headers(HEADER)).isEmpty();

        for (String sender : List.of("alice@example.com", "stranger@example.com")) {
            Letter lie = Letters.of("a lie about the verdict");
            send(sender, List.of("four@elsewhere.example"), lie);
            Letter relayed = relayed("four@elsewhere.example", lie);
            assertThat(relayed.headers(HEADER)).isEmpty();
            assertThat(relayed.headers("X-Sender-Whitelist-Entry")).containsExactly("not ours");
        }
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
        LetterComparison.assertSame(letter, listed.letter(), true);
        LetterComparison.assertSame(letter, arrival(IVY, letter).letter(), alwaysSetsHeaders());

        Letter again = new Letter(letter.text().replace(letter.id(), UUID.randomUUID().toString()));
        send("stranger@example.com", List.of(SAM, IVY), again);
        Arrival notListed = arrival(SAM, again);
        assertNotListed(notListed);
        LetterComparison.assertSame(again, notListed.letter(), true);
        LetterComparison.assertSame(again, arrival(IVY, again).letter(), alwaysSetsHeaders());
    }

    @Test
    void aMailForSeveralArrivesOnceForEach() throws Exception {
        Letter letter = Letter.simple("for four");
        send(
                "alice@example.com",
                List.of(SAM, IVY, "one@elsewhere.example", "two@elsewhere.example"),
                letter);

        LetterComparison.assertSame(letter, arrival(IVY, letter).letter(), alwaysSetsHeaders());
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
                                    .filter(
                                            field ->
                                                    !LetterComparison.SET_ANEW.contains(
                                                            Letter.name(field)))
                                    .toList());
            assertThat(relayed.headers(HEADER)).as("the verdict is for this server only").isEmpty();
            // GreenMail drops the last line end.
            assertThat(relayed.body().stripTrailing()).isEqualTo(letter.body().stripTrailing());
        }
    }

    // Whom the shipped pipeline does not ask about; the verdict is that of the tests' matcher

    @Test
    void mailOfAUserWhoHasLoggedInGoesToTheInbox() throws Exception {
        Letter letter = Letter.of("Subject: my own\r\n" + FOUND + ": login\r\n", "Hello\r\n");
        Arrival arrival = deliver("stranger@example.com", letter);

        assertThat(verdict(arrival)).hasValue("not-listed");
        assertThat(arrival.folder()).isEqualTo(INBOX);
    }

    @Test
    void aBounceComesBackToTheInboxOnce() throws Exception {
        String unique = UUID.randomUUID().toString();
        Letter letter = Letter.simple("will bounce " + unique);
        send(SAM, List.of("explode@elsewhere.example"), letter);

        Callable<List<Letter>> bounces =
                () ->
                        james().mails(SAM, INBOX).stream()
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

    static Stream<Arguments> badLists() {
        byte[] picture = new byte[20_000];
        new Random(7).nextBytes(picture);
        picture[0] = (byte) 0x89;
        picture[5] = 0;
        return Stream.of(
                Arguments.of("empty", new byte[0]),
                Arguments.of(
                        "without most of its entries",
                        "alice@example.com\n".getBytes(StandardCharsets.UTF_8)),
                Arguments.of("binary", picture));
    }

    /** The old verdicts stay active, the log says why, and the next good list is taken. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("badLists")
    void aBadListIsNotBelieved(String kind, byte[] bad) throws Exception {
        putList();
        int before = refusals();
        Path next = james().directory().conf("whitelist.txt.new");
        Files.write(next, bad);
        Files.move(next, james().directory().whitelist(), StandardCopyOption.REPLACE_EXISTING);
        try {
            patiently().until(() -> refusals() > before);
            for (String listed : List.of("alice@example.com", "anyone@example.org")) {
                assertThat(deliver(listed, Letter.simple(kind)).folder()).isEqualTo(INBOX);
            }
            for (String other : List.of("stranger@example.com", "mallory@example.org")) {
                assertNotListed(deliver(other, Letter.simple(kind)));
            }
        } finally {
            putList("newcomer@example.com");
        }
        assertThat(deliver("newcomer@example.com", Letter.simple("after the repair")).folder())
                .isEqualTo(INBOX);
    }

    private int refusals() {
        return (int) REFUSED.matcher(james().log()).results().count();
    }

    // What administrators see

    @Test
    void theHealthCheckSaysWhyAListIsNotActiveUntilItIs() throws Exception {
        putList();
        assertThat(health()).contains("\"status\":\"healthy\"");
        Files.writeString(james().directory().whitelist(), "");
        try {
            patiently()
                    .untilAsserted(
                            () ->
                                    assertThat(health())
                                            .contains("\"status\":\"degraded\"")
                                            .contains(
                                                    "people: ", "whitelist.txt: holds no entries"));
        } finally {
            putList();
        }
        assertThat(health()).contains("\"status\":\"healthy\"");
    }

    /** Returns the part of WebAdmin's health report that is about the whitelist. */
    private String health() throws IOException, InterruptedException {
        String checks = james().webAdmin("/healthcheck");
        return Stream.of(checks.split("(?=\\{\"componentName\")"))
                .filter(check -> check.contains("\"Sender whitelist\""))
                .findFirst()
                .orElse("the whitelist is not in " + checks);
    }

    @Test
    void theMetricsCountWhatWasAskedAndAnswered() throws Exception {
        putList();
        Map<String, Double> before = metrics();
        String stranger = "stranger-" + UUID.randomUUID() + "@example.com";
        assertNotListed(deliver(stranger, Letter.simple("to be counted")));
        deliver("alice@example.com", Letter.simple("to be counted"));
        Map<String, Double> after = metrics();

        // The matcher and the mailet ask for every mail.
        String verdict = "senderWhitelist_verdict_";
        assertThat(grown(verdict + "listed_total", before, after)).isGreaterThanOrEqualTo(2);
        assertThat(grown(verdict + "notListed_total", before, after)).isGreaterThanOrEqualTo(2);
        String list = "senderWhitelist_list_people_";
        assertThat(grown(list + "filter_maybe", before, after)).isGreaterThanOrEqualTo(2);
        assertThat(
                        grown(list + "filter_no", before, after)
                                + grown(list + "filter_falsePositives", before, after))
                .isGreaterThanOrEqualTo(2);
        assertThat(
                        grown(list + "cache_hits", before, after)
                                + grown(list + "lookups_done", before, after))
                .isGreaterThanOrEqualTo(2);
        assertThat(after.get("senderWhitelist_lookup_count")).isPositive();
        assertThat(after.get(list + "entries")).isEqualTo(LIST.size());
        assertThat(after.get(list + "degraded")).isZero();
        assertThat(after.get(list + "generation_age")).isBetween(0.0, 3600.0);
        assertThat(after.get(list + "filter_falsePositiveRate")).isBetween(0.0, 1.0);
    }

    private Map<String, Double> metrics() throws IOException, InterruptedException {
        return james().webAdmin("/metrics")
                .lines()
                .filter(line -> line.startsWith("senderWhitelist_") && !line.contains("{"))
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(line -> line[0], line -> Double.parseDouble(line[1])));
    }

    private static double grown(
            String name, Map<String, Double> before, Map<String, Double> after) {
        assertThat(after).containsKey(name);
        return after.getOrDefault(name, 0.0) - before.getOrDefault(name, 0.0);
    }

    // Many mails

    @Test
    void manyMailsDuringRefreshesArriveOnceWhereTheyMust() throws Exception {
        putList();
        int mails = 10_000;
        List<String> senders =
                List.of("alice@example.com", "stranger@example.com", "turncoat@example.com");
        String run = UUID.randomUUID().toString();
        int refreshes;
        try (Refreshes changes = new Refreshes(james(), with("turncoat@example.com"), LIST)) {
            changes.send(senders, LEE, run, mails);
            refreshes = changes.done();
        }
        Map<Integer, List<String>> arrived = arrived(run);
        while (arrived.size() < mails) {
            // A slow machine gets more time as long as mails keep arriving.
            int before = arrived.size();
            arrived =
                    patiently()
                            .pollInterval(Duration.ofSeconds(2))
                            .until(() -> arrived(run), now -> now.size() > before);
        }
        putList();
        barrier();
        assertThat(refreshes).as("refreshes meanwhile").isGreaterThanOrEqualTo(Refreshes.MIN);
        Map<String, Map<String, Integer>> folders = new TreeMap<>();
        arrived.forEach(
                (number, where) -> {
                    assertThat(where).as("arrivals of mail %d", number).hasSize(1);
                    folders.computeIfAbsent(
                                    senders.get(number % senders.size()), s -> new TreeMap<>())
                            .merge(where.getFirst(), 1, Integer::sum);
                });
        assertThat(folders.get("alice@example.com")).containsOnlyKeys(INBOX);
        assertThat(folders.get("stranger@example.com")).containsOnlyKeys(UNLISTED);
        assertThat(folders.get("turncoat@example.com")).containsOnlyKeys(INBOX, UNLISTED);
    }

    /** Returns the folders in which mails of a run arrived, by their numbers. */
    private Map<Integer, List<String>> arrived(String run) throws IOException {
        Map<Integer, List<String>> arrived = new TreeMap<>();
        for (String folder : List.of(INBOX, UNLISTED)) {
            for (Letter letter : james().mails(LEE, folder)) {
                Refreshes.number(letter, run)
                        .ifPresent(
                                number ->
                                        arrived.computeIfAbsent(number, n -> new ArrayList<>())
                                                .add(folder));
            }
        }
        return arrived;
    }

    // Wrong configurations

    /** What else is wrong is refused in the same way; the tests of the parameters have it all. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "whitelst, x, did you mean 'whitelist'",
                "whitelist, file://conf/no-such-list.txt, no-such-list.txt",
                "onWhitelisted, nowhere, nowhere",
            })
    void aWrongConfigurationRefusesToStart(String name, String value, String words)
            throws Exception {
        ServerDirectory directory = directory("refused-" + name);
        directory.mailetContainer(conf -> conf.set(MailetContainer.WHITELIST, Map.of(name, value)));
        try (JamesServer refused = launch(directory)) {
            refused.awaitStart();

            assertThat(refused.process().alive()).as(() -> "runs\n" + refused.log()).isFalse();
            assertThat(refused.process().exitCode()).isEqualTo(1);
            assertThat(refused.log().lines())
                    .as("a line of the log that says why: %s", refused.process().logFile())
                    .anySatisfy(line -> assertThat(line).contains(words));
        }
    }

    private static int count(String text, String word) {
        return text.split(Pattern.quote(word), -1).length - 1;
    }

    private static void assertNotListed(Arrival arrival) {
        assertThat(arrival.folder()).isEqualTo(UNLISTED);
        assertThat(arrival.letter().headers(VERDICT)).containsExactly("not-listed");
        assertThat(arrival.letter().headers(MATCHER)).isEmpty();
    }
}
