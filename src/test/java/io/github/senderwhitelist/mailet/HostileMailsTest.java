package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.marked;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.model.WhitelistModel;
import io.github.senderwhitelist.model.WhitelistModel.Settings;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.TextResource;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Mails as attackers send them, judged by the mailet and by a model of the manual. */
class HostileMailsTest {
    private static final String[] SENDERS = parts("senders");
    private static final String[] ENTRIES = parts("entries");
    private static final String[] CONDITIONS = parts("conditions");
    private static final String[] PERSONAL = parts("personal");
    private static final String[] RECIPIENTS = parts("recipients");
    private static final String[] CLEAR = parts("clear");
    private static final String[] DOUBTFUL = parts("doubtful");
    private static final String[] NOISE = parts("noise");
    private static final Object[] SPF = parts("spf", 42, true, List.of("pass"));
    private static final Object[] DKIM = parts("dkim", 42, List.of("pass (identity @x.example)"));

    private static final Pattern ADDRESS = Pattern.compile("[A-Za-z+]+@[A-Za-z.]+");

    private static String[] parts(String name) {
        return TextResource.cells(HostileMailsTest.class, "hostile-mails.txt", name)
                .toArray(String[]::new);
    }

    /** Returns strings and values of other types. */
    private static Object[] parts(String name, Object... others) {
        return Stream.concat(Stream.of(parts(name)), Stream.of(others)).toArray();
    }

    @RegisterExtension final TestServer server = new TestServer();
    private final List<Mail> sent = server.outbox.sent;
    private SplittableRandom random = new SplittableRandom(1);
    private final Map<String, Integer> told = new HashMap<>();

    /**
     * A mail and what its author knows of it.
     *
     * @param from the mailbox in From:, or null when it names nobody for certain
     * @param head the lines of From:
     * @param isNoise whether nobody knows what From: means
     * @param confirmed domains that are confirmed, with how
     */
    private record Attack(
            @Nullable String sender,
            @Nullable String from,
            String head,
            boolean isNoise,
            List<String> recipients,
            Set<String> confirmed,
            List<Attribute> attributes) {}

    private <T> T one(T[] of) {
        return of[random.nextInt(of.length)];
    }

    private boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    @Test
    void shouldJudgeAttackersMailsAsTheManualSays() throws Exception {
        for (int seed = 0; seed < Extent.of(20, 600); seed++) {
            random = new SplittableRandom(seed);
            List<String> list = new ArrayList<>();
            for (int left = 1 + random.nextInt(8); left > 0; left--) {
                String entry = one(ENTRIES) + one(CONDITIONS);
                list.add(once(5) && !entry.contains("auth") ? "!" + entry : entry);
                if (seed % 2 == 0) {
                    String known = one(ENTRIES);
                    String line = (known.startsWith("@") ? "b@x.example" : known) + one(PERSONAL);
                    boolean isDenial = once(3) && line.endsWith("user");
                    list.add(isDenial ? "!" + line : line);
                }
            }
            server.write("list" + seed + ".txt", String.join("\n", list) + "\n");
            String which = one(new String[] {"envelope", "from", "either", "both"});
            String required = one(new String[] {"none", "none", "spf", "dkim", "any"});
            judge(seed, list, which, required);
        }
        assertThat(told)
                .containsOnlyKeys(
                        "listed",
                        "denied",
                        "unauthenticated",
                        "expired",
                        "not-yet",
                        "stranger",
                        "ambiguous-from",
                        "null-sender");
    }

    private void judge(int seed, List<String> list, String which, String required)
            throws Exception {
        SenderWhitelist mailet = mailet("list" + seed + ".txt", which, required);
        WhitelistModel model =
                Objects.requireNonNull(
                        WhitelistModel.of(
                                List.of(list),
                                new Settings(
                                        which, '+', null, Set.of(), null, required, Map.of())));
        for (int i = 0; i < 60; i++) {
            sent.clear();
            compare(attack(), mailet, model, which, list);
        }
        mailet.destroy();
    }

    private SenderWhitelist mailet(String list, String which, String required)
            throws MessagingException {
        String processors = "onWhitelisted transport onNotWhitelisted spam sender ";
        return server.mailet(
                "file://" + list,
                (processors + which + " requireAuthentication " + required).split(" "));
    }

    private Attack attack() {
        String sender = once(15) ? null : one(SENDERS);
        Set<String> recipients = new HashSet<>();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            recipients.add(one(RECIPIENTS));
        }
        String from = one(SENDERS);
        boolean isClear = once(2);
        boolean isNoise = !isClear && once(3);
        String value = isNoise ? noise() : one(isClear ? CLEAR : DOUBTFUL).replace("%s", from);
        String head = once(3) ? "from: " + value : "From: " + value;
        if (!isNoise && once(12)) {
            isClear = false;
            head = once(2) ? "Subject: none" : head + "\r\nFrom: " + from;
        }
        Set<String> confirmed = new HashSet<>();
        List<Attribute> attributes = new ArrayList<>();
        StringBuilder signatures = new StringBuilder();
        know(sender, confirmed, attributes, signatures);
        return new Attack(
                sender,
                isClear ? from : null,
                head + "\r\nSender: a@x.example\r\nReceived-SPF: pass\r\n" + signatures,
                isNoise,
                List.copyOf(recipients),
                confirmed,
                attributes);
    }

    private String noise() {
        StringBuilder noise = new StringBuilder();
        for (int left = random.nextInt(12); left > 0; left--) {
            noise.append(one(NOISE));
        }
        return noise.toString();
    }

    private void know(
            @Nullable String sender,
            Set<String> confirmed,
            List<Attribute> attributes,
            StringBuilder signatures) {
        String spf = "org.apache.james.transport.mailets.spf.result";
        if (sender != null && once(3)) {
            attributes.add(attribute(spf, "pass"));
            confirm("spf ", confirmed(sender), confirmed);
        } else if (once(2)) {
            attributes.add(attribute(spf, one(SPF)));
        }
        if (once(3)) {
            String domain = one(new String[] {"x.example", "m.x.example", "y.example"});
            attributes.add(attribute("jDKIM.AUTHRESULT", "pass (identity @" + domain + ")"));
            signatures.append("DKIM-Signature: v=1; a=rsa-sha256; d=" + domain + "; b=aGk=\r\n");
            confirm("dkim ", domain, confirmed);
        } else if (once(2)) {
            attributes.add(attribute("jDKIM.AUTHRESULT", one(DKIM)));
            signatures.append("DKIM-Signature: v=1; d=x.example; b=aGk=\r\n");
        }
    }

    /** All domains of an organisation confirm each other. */
    private static void confirm(String how, String domain, Set<String> confirmed) {
        for (String[] organisation :
                new String[][] {
                    {"x.example", "m.x.example"}, {"notx.example"}, {"y.example"}, {"[192.0.2.1]"}
                }) {
            if (List.of(organisation).contains(domain)) {
                for (String each : organisation) {
                    confirmed.add(how + each);
                }
            }
        }
        confirmed.add(how + domain);
    }

    private static Attribute attribute(String name, Object value) {
        return new Attribute(
                AttributeName.of(name),
                value instanceof List<?> list
                        ? AttributeValue.of(list.stream().map(AttributeValue::ofAny).toList())
                        : AttributeValue.ofAny(value));
    }

    private static FakeMail mail(Attack attack) throws MessagingException {
        FakeMail mail =
                TestServer.mail(
                        Objects.requireNonNullElse(attack.sender, ""),
                        TestServer.message(attack.head + "\r\nHello\r\n"),
                        attack.recipients.toArray(String[]::new));
        attack.attributes.forEach(mail::setAttribute);
        return mail;
    }

    private void compare(
            Attack attack,
            SenderWhitelist mailet,
            WhitelistModel model,
            String which,
            List<String> list)
            throws Exception {
        FakeMail mail = mail(attack);
        mailet.service(mail);

        List<String> listed = new ArrayList<>();
        List<String> others = new ArrayList<>();
        sort(mail.getState(), mail.getRecipients(), listed, others);
        sent.forEach(part -> sort(part.getState(), part.getRecipients(), listed, others));
        List<String> all = new ArrayList<>(listed);
        all.addAll(others);
        assertThat(all).as("%s", attack).containsExactlyInAnyOrderElementsOf(attack.recipients);
        List<@Nullable String> froms = new ArrayList<>();
        froms.add(attack.from);
        if (attack.isNoise) {
            ADDRESS.matcher(attack.head).results().map(MatchResult::group).forEach(froms::add);
        }
        Set<String> reasons = new HashSet<>();
        for (String recipient : attack.recipients) {
            Set<String> expected =
                    froms.stream()
                            .map(from -> expected(attack, from, recipient, model))
                            .collect(Collectors.toSet());
            reasons.addAll(expected);
            if (!attack.isNoise || !expected.contains("listed")) {
                assertThat(listed.contains(recipient))
                        .as(
                                "%s for %s, sender=%s, %s: %s",
                                list, recipient, which, attack, expected)
                        .isEqualTo(expected.contains("listed"));
            }
        }
        if (!attack.isNoise) {
            reasons.forEach(reason -> told.merge(reason, 1, Integer::sum));
            Set<String> against = new HashSet<>(reasons);
            against.remove("listed");
            assertThat(marked(mail, "reason"))
                    .as("%s, sender=%s, %s", list, which, attack)
                    .isEqualTo(against.isEmpty() ? "listed" : WhitelistModel.first(against));
        }
    }

    private static void sort(
            String state,
            Collection<MailAddress> recipients,
            List<String> listed,
            List<String> others) {
        assertThat(state).isIn("transport", "spam");
        recipients.forEach(
                each -> (state.equals("transport") ? listed : others).add(each.asString()));
    }

    private static String expected(
            Attack attack, @Nullable String from, String recipient, WhitelistModel model) {
        Instant at = Instant.parse("2026-11-21T12:00:00Z");
        String sender = Objects.requireNonNullElse(attack.sender, "");
        return model.answer(new WhitelistModel.Mail(sender, from, at, attack.confirmed), recipient)
                .reason();
    }

    /** All senders here are at a domain below {@code example}, at one below that, or a number. */
    private static String organisation(String address) {
        String domain = address.substring(address.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
        return domain.startsWith("m.") ? domain.substring(2) : domain;
    }

    /** Returns whom an envelope sender stands for: an organisation, but itself if forwarded. */
    private static String confirmed(String envelope) {
        return envelope.matches("SRS0=.*|.*[+]caf_=.*")
                ? envelope.toLowerCase(Locale.ROOT)
                : organisation(envelope);
    }

    /** Effort, measured as memory allocated, must not grow with the square of the length. */
    @Test
    void shouldTakeEffortThatGrowsNoFasterThanTheMail() throws Exception {
        server.write(
                "list.txt", "a@x.example to=@a.example auth=dkim\na@x.example to=@b.example\n");
        SenderWhitelist mailet = mailet("list.txt", "both", "none");
        for (String repeated :
                List.of(
                        "From: \"%s\" <a@x.example>",
                        "From: %s <a@x.example>",
                        "From: (%s) a@x.example",
                        "From: %s@x.example",
                        "DKIM-Signature: d=%s; b=aGk=\r\nFrom: a@x.example")) {
            for (String unit : List.of("a", "a ", "\\a", "(", "<", "@", "\"", "=?", "a@x.y,")) {
                effort(mailet, repeated, unit, 1, 500);
                long once = effort(mailet, repeated, unit, 1, 5_000);
                long twice = effort(mailet, repeated, unit, 1, 10_000);
                assertThat(twice).as(repeated + unit).isLessThan(3 * once);
            }
        }
        effort(mailet, "From: %s@x.example", "a", 500, 1);
        long once = effort(mailet, "From: %s@x.example", "a", 2_000, 1);
        long twice = effort(mailet, "From: %s@x.example", "a", 4_000, 1);
        assertThat(twice).isLessThan(3 * once);
        assertThat(sent).isNotEmpty();
    }

    private static long effort(
            SenderWhitelist mailet, String head, String unit, int recipients, int length)
            throws MessagingException {
        List<String> to = new ArrayList<>();
        for (int i = 0; i < recipients; i++) {
            to.add("u" + i + (i % 2 == 0 ? "@b.example" : "@c.example"));
        }
        FakeMail mail =
                mail(
                        new Attack(
                                "a@x.example",
                                null,
                                head.replace("%s", unit.repeat(length)) + "\r\n",
                                true,
                                to,
                                Set.of(),
                                List.of(
                                        attribute(
                                                "jDKIM.AUTHRESULT",
                                                "pass (identity @x.example)"))));
        long before = AllocatedBytes.now();
        mailet.service(mail);
        long taken = AllocatedBytes.now() - before;
        assertThat(mail.getState()).isIn("transport", "spam");
        return taken;
    }
}
