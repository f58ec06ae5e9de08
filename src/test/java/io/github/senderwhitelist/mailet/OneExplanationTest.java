package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.Streams;

import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Judged;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Part;
import io.github.senderwhitelist.tools.Extent;

import org.apache.mailet.Mail;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Mails that are judged, and described over WebAdmin: the answers must be the same. */
@Tag("more")
class OneExplanationTest {
    private static final int MAILS = Extent.of(500, 10_000, 10_000);

    static final String LIST =
            """
            alice@example.com
            @partner.example
            !mallory@partner.example
            bob@example.com auth=spf
            carol@example.com auth=dkim
            @team.example auth=any
            dave@example.com to=me@here.example
            !dave@example.com to=you@here.example
            @here.example auth=any
            @.sub.example
            eve@example.com until=2020-01-01
            news@stranger.example to=me@here.example origin=user
            !alice@partner.example to=you@here.example origin=user
            dave@stranger.example to=you@here.example origin=learned
            """;

    private static final List<String> NAMES =
            List.of("alice", "bob", "carol", "dave", "eve", "mallory", "news", "alice+tag");
    private static final List<String> DOMAINS =
            List.of(
                    ("example.com partner.example mail.partner.example team.example here.example"
                                    + " a.sub.example stranger.example")
                            .split(" "));
    private static final List<String> RECIPIENTS =
            List.of("me@here.example", "you@here.example", "other@here.example", "x@else.example");
    private static final List<String> CONFIRMED =
            List.of("spf", "dkim", "dkim:partner.example", "login", "network");
    private static final List<String> SENDERS = List.of("envelope", "from", "both", "either");
    private static final String UNCLEAR = "a@example.com, b@example.com";

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(SenderCheck.class);

    @RegisterExtension final TestServer james = new TestServer();
    private final SplittableRandom random = new SplittableRandom(48);
    private final WebAdmin server = new WebAdmin();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<String> log = james.logged(SenderCheck.class, Level.TRACE);

    /** A mail as people describe it. */
    record Drawn(String sender, String from, List<String> to, List<String> confirmed) {}

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private static String address(SplittableRandom random) {
        return NAMES.get(random.nextInt(NAMES.size()))
                + "@"
                + DOMAINS.get(random.nextInt(DOMAINS.size()));
    }

    private static List<String> some(SplittableRandom random, List<String> all) {
        return all.stream().filter(each -> random.nextInt(3) == 0).toList();
    }

    static Drawn drawn(SplittableRandom random) {
        String sender = random.nextInt(20) == 0 ? "" : address(random);
        String from =
                switch (random.nextInt(10)) {
                    case 0 -> UNCLEAR;
                    case 1, 2, 3, 4 -> sender.isEmpty() ? address(random) : sender;
                    default -> address(random);
                };
        return new Drawn(sender, from, some(random, RECIPIENTS), some(random, CONFIRMED));
    }

    static Mail mail(Drawn drawn) throws Exception {
        List<String> signers = new ArrayList<>();
        StringBuilder known = new StringBuilder();
        for (String each : drawn.confirmed) {
            switch (each) {
                case "spf" -> known.append("spf=pass ");
                case "login", "network" -> known.append(each + " ");
                case "dkim" -> {
                    if (!drawn.from.equals(UNCLEAR)) {
                        signers.add(drawn.from.substring(drawn.from.indexOf('@') + 1));
                    }
                }
                default -> signers.add(each.substring(each.indexOf(':') + 1));
            }
        }
        String words =
                signers.isEmpty()
                        ? known.toString().strip()
                        : known + "dkim=" + String.join(",", signers);
        return Known.of(words)
                .mail(drawn.sender, List.of(drawn.from), drawn.to.toArray(String[]::new));
    }

    private SenderCheck check(String sender) throws Exception {
        SenderCheck check = new SenderCheck(sender, james.shared);
        check.open(
                new Parameters(
                        sender,
                        Map.of("whitelist", "file://list.txt", "sender", sender, "name", sender),
                        james.files),
                "here.example"::equals);
        return check;
    }

    private JsonNode overWeb(String as, Drawn drawn) throws Exception {
        StringBuilder query = new StringBuilder("?as=" + as + "&sender=" + encoded(drawn.sender));
        query.append("&confirmed=").append(String.join(",", drawn.confirmed));
        if (!drawn.from.equals(drawn.sender)) {
            query.append("&from=").append(encoded(drawn.from));
        }
        if (!drawn.to.isEmpty()) {
            query.append("&recipient=").append(String.join(",", drawn.to));
        }
        String url = "http://127.0.0.1:" + server.port() + "/whitelists/explain" + query;
        String body =
                client.send(
                                HttpRequest.newBuilder(URI.create(url)).build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
        JsonNode explanations = new ObjectMapper().readTree(body).get("explanations");
        assertThat(explanations).hasSize(1);
        return explanations.get(0);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static List<String> texts(JsonNode array) {
        return Streams.stream(array).map(JsonNode::asText).toList();
    }

    /** Returns what a verdict is in words, as WebAdmin has it. */
    private static String words(String recipient, Verdict verdict, boolean listed) {
        String reason = verdict.reason().label();
        return "%s %s %s %s %s"
                .formatted(recipient, verdict.word(), reason, verdict.entry(), listed);
    }

    @Test
    void shouldBeTheSameForAllCallers() throws Exception {
        james.write("list.txt", LIST);
        List<SenderCheck> checks = new ArrayList<>();
        Set<String> reasons = new HashSet<>();
        LOGGER.setLevel(Level.TRACE);
        LOGGER.setAdditive(false);
        try {
            for (String sender : SENDERS) {
                checks.add(check(sender));
            }
            server.judging().addAll(james.shared.judging());
            for (int i = 0; i < MAILS; i++) {
                Drawn drawn = drawn(random);
                int which = random.nextInt(SENDERS.size());
                reasons.addAll(compare(SENDERS.get(which), checks.get(which), drawn));
            }
        } finally {
            LOGGER.setLevel(null);
            LOGGER.setAdditive(true);
            checks.forEach(SenderCheck::close);
        }
        assertThat(reasons)
                .contains("listed", "denied", "stranger", "unauthenticated")
                .contains("null-sender", "ambiguous-from");
    }

    /** Returns the reasons. */
    private Set<String> compare(String as, SenderCheck check, Drawn drawn) throws Exception {
        log.clear();
        MailVerdicts judged = check.judge(mail(drawn));
        List<String> verdicts = new ArrayList<>();
        Set<String> reasons = new HashSet<>();
        for (Judged each : judged.each()) {
            String recipient = each.recipient().asString();
            verdicts.add(words(recipient, each.verdict(), each.isListed()));
            reasons.add(each.verdict().reason().label());
        }
        if (verdicts.isEmpty()) {
            Part whole = judged.whole();
            verdicts.add(words("null", whole.verdict(), whole.isListed()));
            reasons.add(whole.verdict().reason().label());
        }
        JsonNode web = overWeb(as, drawn);
        List<String> overWeb =
                Streams.stream(web.get("verdicts"))
                        .map(each -> String.join(" ", texts(each)))
                        .toList();
        List<String> steps =
                log.stream()
                        .filter(line -> line.startsWith("mail=mail "))
                        .map(line -> line.substring("mail=mail ".length()))
                        .toList();
        assertThat(overWeb).as("%s, %s", as, drawn).isEqualTo(verdicts);
        assertThat(texts(web.get("steps"))).as("%s, %s", as, drawn).isEqualTo(steps);
        assertThat(steps.getLast()).contains(verdicts.getLast().split(" ", -1)[2]);
        return reasons;
    }
}
