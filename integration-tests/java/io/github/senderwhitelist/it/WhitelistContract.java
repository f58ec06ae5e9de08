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
import static io.github.senderwhitelist.it.JamesServer.patiently;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.it.JamesServer.Arrival;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;
import io.github.senderwhitelist.mailet.verdict.VerdictHeader;

import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tests on a real James what the plugin promises. What every entry, condition and parameter does is
 * tested without a server; here are those that the way through one could change.
 */
abstract class WhitelistContract extends RealJames {
    /** Header fields that James adds to every mail on its way to a mailbox. */
    private static final List<String> ADDED = List.of("return-path", "delivered-to", "received");

    /** Header fields that a mailet sets anew when it sets any. */
    private static final List<String> SET_ANEW =
            Stream.of("MIME-Version", MATCHER, VERDICT, REASON, ENTRY)
                    .map(name -> name.toLowerCase(Locale.ROOT))
                    .toList();

    /** Header fields that James adds when a mailet sets any and a mail lacks them. */
    private static final List<String> COMPLETED = List.of("date", "message-id");

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "ALICE@EXAMPLE.COM, alice@example.com",
                "alice+news@example.com, alice@example.com",
                "anyone@example.org, @example.org",
                "sender@b.a.lists.example.net, @.lists.example.net",
                "`\"john doe\"@example.com`, `\"john doe\"@example.com`",
                "orders@xn--bcher-kva.example, orders@xn--bcher-kva.example",
            })
    void mailOfAListedSenderGoesToTheInbox(String sender, String entry) throws Exception {
        Arrival arrival = deliver(sender, Letter.simple("listed"));

        assertThat(arrival.folder()).isEqualTo(INBOX);
        assertThat(arrival.letter().headers(VERDICT)).containsExactly("listed");
        assertThat(arrival.letter().headers(ENTRY)).containsExactly(entry);
        assertThat(arrival.letter().headers(MATCHER)).containsExactly("listed");
    }

    @ParameterizedTest(name = "sender {0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "stranger@example.com",
                "Mallory+tag@example.org",
                "sender@lists.example.net",
                "`\"alice \"@example.com`",
                "orders@bcher.example",
                "``",
            })
    void mailOfAnyOtherSenderGoesThroughTheSpamCheck(String sender) throws Exception {
        assertNotListed(deliver(sender, Letter.simple("not listed")));
    }

    @Test
    void anAddressAsLongAsItGetsIsListed() throws Exception {
        Arrival arrival = deliver(longest(), Letter.simple("long address"));

        assertThat(arrival.folder()).isEqualTo(INBOX);
        assertNotListed(
                deliver("x" + longest().substring(1), Letter.simple("another long address")));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(
            nullValues = "-",
            value = {
                "friend@auth.example, spf pass, listed",
                "friend@auth.example, dkim pass, listed",
                "friend@auth.example, dkim other, unauthenticated",
                "friend@auth.example, -, unauthenticated",
                "ivy@here.example, -, listed",
                "ivy@here.example, nothing, unauthenticated",
                "signed@auth.example, spf pass, unauthenticated",
                "signed@auth.example, dkim pass, listed",
                "past@example.com, -, expired",
                "traitor@example.org, -, denied",
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

        boolean listed = reason.equals("listed");
        assertThat(arrival.letter().headers(REASON)).containsExactly(reason);
        assertThat(arrival.folder()).isEqualTo(listed ? INBOX : UNLISTED);
        assertThat(arrival.letter().headers(VERDICT))
                .containsExactly(listed ? "listed" : "not-listed");
    }

    /**
     * The matcher, which knows only one list, splits the first mail. The mailet splits the second.
     */
    @ParameterizedTest
    @CsvSource({
        "tenant@example.com, listed, Unlisted",
        "mixed@example.net, -, Unlisted",
        "alice@example.com, listed, INBOX"
    })
    void aMailArrivesOnceForEachRecipientWhereThatOneSaysSo(
            String sender, String matched, String folderOfIvy) throws Exception {
        List<String> others = List.of("one@elsewhere.example", "two@elsewhere.example");
        Letter letter = Letter.simple("for some in scope");
        send(sender, List.of(SAM, IVY, others.getFirst(), others.getLast()), letter);

        Arrival inScope = arrival(SAM, letter);
        assertThat(inScope.folder()).isEqualTo(INBOX);
        assertThat(inScope.letter().headers(REASON)).containsExactly("listed");
        assertThat(inScope.letter().header(MATCHER).orElse("-")).isEqualTo(matched);
        assertThat(arrival(IVY, letter).folder()).isEqualTo(folderOfIvy);
        for (String other : others) {
            james().relayed(other, letter);
        }
        barrier();
        assertThat(copies(SAM, letter)).isEqualTo(1);
        assertThat(copies(IVY, letter)).isEqualTo(1);
        for (String other : others) {
            assertThat(copies(james().relayed(other), letter)).isEqualTo(1);
        }
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
                        ("Message-ID: <" + UUID.randomUUID() + "@example.net>\r\n")
                                + ("From: " + sender + "\r\n")
                                + (HEADER + ": listed; reason=forged\r\n"),
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
        HeaderSeal seal = HeaderSeal.of(Files.readAllBytes(key));
        for (String recipient : List.of(SAM, IVY, LEE, ANN, JOE)) {
            MimeMessage message = TestServer.message(letter.bytes());
            assertThat(VerdictHeader.proven(message, recipient, seal) != null)
                    .as("%s's header for %s", user, recipient)
                    .isEqualTo(recipient.equals(user));
        }
    }

    /** The shipped pipeline does not ask; the verdict is that of the tests' matcher. */
    @Test
    void mailOfAUserWhoHasLoggedInGoesToTheInboxWithoutAForgedHeader() throws Exception {
        Letter letter =
                Letter.of(
                        "From: me@here.example\r\n"
                                + (HEADER + ": listed\r\nSubject: my own\r\n")
                                + (FOUND + ": login\r\n"),
                        "Hello\r\n");
        Arrival arrival = deliver("stranger@example.com", letter);

        assertThat(arrival.letter().headers(HEADER)).isEmpty();
        assertThat(arrival.letter().headers(VERDICT)).containsExactly("not-listed");
        assertThat(arrival.folder()).isEqualTo(INBOX);
    }

    @ParameterizedTest
    @CsvSource({"alice@example.com", "stranger@example.com"})
    void mailToOtherServersIsSentOnWithoutAVerdict(String sender) throws Exception {
        Letter letter = Letters.of("a lie about the verdict");
        send(sender, List.of("three@elsewhere.example"), letter);

        Letter relayed = james().relayed("three@elsewhere.example", letter);
        assertThat(relayed.headers(HEADER)).isEmpty();
        assertThat(relayed.fields())
                .containsSubsequence(
                        letter.fields().stream()
                                .filter(
                                        field ->
                                                !SET_ANEW.contains(Letter.name(field))
                                                        && !isVerdict(field))
                                .toList());
        // GreenMail drops the last line end.
        assertThat(relayed.body().stripTrailing()).isEqualTo(letter.body().stripTrailing());
    }

    static Stream<Arguments> kinds() {
        return Letters.all().entrySet().stream()
                .map(kind -> Arguments.of(kind.getKey(), kind.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void aMailArrivesAsItWasSent(String kind, Letter letter) throws Exception {
        Letter again = new Letter(letter.text().replace(letter.id(), UUID.randomUUID().toString()));
        send("alice@example.com", List.of(SAM, IVY), letter);
        send("stranger@example.com", List.of(SAM, IVY), again);

        Arrival listed = arrival(SAM, letter);
        assertThat(listed.folder()).isEqualTo(INBOX);
        assertSame(letter, listed.letter(), true);
        assertSame(letter, arrival(IVY, letter).letter(), alwaysSetsHeaders());
        Arrival notListed = arrival(SAM, again);
        assertNotListed(notListed);
        assertSame(again, notListed.letter(), true);
        assertSame(again, arrival(IVY, again).letter(), alwaysSetsHeaders());
    }

    /**
     * The same body, the same header fields in the same order; James adds those on a mail's way,
     * and where a mailet sets headers puts MIME-Version first and adds what a mail must have.
     */
    private static void assertSame(Letter sent, Letter arrived, boolean headersSet) {
        List<String> expected = new ArrayList<>(sent.fields());
        List<String> fields = new ArrayList<>(arrived.fields());
        for (List<String> each : List.of(expected, fields)) {
            each.removeIf(
                    field ->
                            isVerdict(field)
                                    || (headersSet && SET_ANEW.contains(Letter.name(field))));
        }
        List<String> added = new ArrayList<>(ADDED);
        added.addAll(headersSet ? COMPLETED : List.of());
        fields.removeIf(field -> added.contains(Letter.name(field)) && !expected.contains(field));
        assertThat(fields).isEqualTo(expected);
        assertThat(arrived.body()).isEqualTo(sent.body());
    }

    private static boolean isVerdict(String field) {
        return Letter.name(field).equalsIgnoreCase(HEADER);
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

        patiently().until(() -> explosions() == 2);
        barrier();
        barrier();
        assertThat(explosions()).isEqualTo(2);
    }

    private long explosions() {
        return james().log().lines().filter(line -> line.contains(EXPLODING)).count();
    }

    /** The old verdicts stay active, the health check says why, and the next good list is taken. */
    @Test
    void anEmptyListIsNotBelieved() throws Exception {
        putList();
        assertThat(health()).contains("\"status\":\"healthy\"");
        james().directory().whitelist(List.of());
        try {
            patiently().until(() -> !health().contains("\"status\":\"healthy\""));
            assertThat(health())
                    .contains("\"status\":\"degraded\"")
                    .contains("people: ", "whitelist.txt: holds no entries");
            assertThat(deliver("alice@example.com", Letter.simple("old list")).folder())
                    .isEqualTo(INBOX);
            assertNotListed(deliver("stranger@example.com", Letter.simple("old list")));
        } finally {
            putList("newcomer@example.com");
        }
        assertThat(deliver("newcomer@example.com", Letter.simple("after the repair")).folder())
                .isEqualTo(INBOX);
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

    /** What each of them counts is tested without a server. */
    @Test
    void theMetricsCountWhatWasAskedAndAnswered() throws Exception {
        putList();
        Map<String, Double> before = metrics();
        deliver("alice@example.com", Letter.simple("to be counted"));
        Map<String, Double> after = metrics();

        // The matcher and the mailet ask for every mail.
        for (String name : List.of("verdict_listed_total", "list_people_filter_maybe")) {
            assertThat(after.getOrDefault(name, 0.0))
                    .isGreaterThanOrEqualTo(2 + before.getOrDefault(name, 0.0));
        }
        assertThat(after.get("lookup_count")).isPositive();
        assertThat(after.get("list_people_entries")).isEqualTo(LIST.size());
        assertThat(after.get("list_people_degraded")).isZero();
    }

    private Map<String, Double> metrics() throws IOException, InterruptedException {
        return Pattern.compile("(?m)^senderWhitelist_(\\w+) (\\S+)$")
                .matcher(james().webAdmin("/metrics"))
                .results()
                .collect(
                        Collectors.toMap(
                                line -> line.group(1), line -> Double.valueOf(line.group(2))));
    }

    @Test
    void manyMailsDuringRefreshesArriveOnceWhereTheyMust() throws Exception {
        putList();
        List<String> senders =
                List.of("alice@example.com", "stranger@example.com", "turncoat@example.com");
        Refreshes refreshes = new Refreshes(james(), LIST, senders, LEE);
        refreshes.send();
        putList();
        barrier();

        Map<String, Set<String>> folders = refreshes.folders();
        assertThat(folders.get("alice@example.com")).containsExactly(INBOX);
        assertThat(folders.get("stranger@example.com")).containsExactly(UNLISTED);
        assertThat(folders.get("turncoat@example.com")).containsExactlyInAnyOrder(INBOX, UNLISTED);
    }

    /** What else is wrong is refused in the same way; the tests of the parameters have it all. */
    @Test
    void aWrongConfigurationRefusesToStart() throws Exception {
        ServerDirectory directory = directory("refused");
        directory.mailetContainer(
                conf -> conf.set(MailetContainer.WHITELIST, Map.of("whitelst", "x")));
        try (JamesServer refused = launch(directory)) {
            refused.awaitStart();

            assertThat(refused.process().alive()).as(() -> "runs\n" + refused.log()).isFalse();
            assertThat(refused.process().exitCode()).isEqualTo(1);
            assertThat(refused.log().lines())
                    .as("a line of the log that says why: %s", refused.process().logFile())
                    .anyMatch(line -> line.contains("did you mean 'whitelist'"));
        }
    }

    private static void assertNotListed(Arrival arrival) {
        assertThat(arrival.folder()).isEqualTo(UNLISTED);
        assertThat(arrival.letter().headers(VERDICT)).containsExactly("not-listed");
        assertThat(arrival.letter().headers(MATCHER)).isEmpty();
    }
}
