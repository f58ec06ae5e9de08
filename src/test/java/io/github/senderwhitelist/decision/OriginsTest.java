package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Whose entries win, and what questions about many recipients cost. */
class OriginsTest {
    @TempDir Path folder;

    private static Policy policy(RecipientUsers users) {
        return new Policy(
                Subaddressing.DEFAULT,
                Unwrapping.NONE,
                AuthRequirement.NONE,
                InstantSource.system(),
                Subaddressing.DEFAULT,
                users);
    }

    private Whitelist whitelist(RecipientUsers users, String... lines) throws IOException {
        Snapshot snapshot = SmallLists.snapshot(folder, SmallLists.TIGHT, lines);
        Generation generation = Generation.exact(snapshot, 0);
        return new Whitelist(List.of(() -> generation), policy(users));
    }

    private static List<String> ask(Whitelist whitelist, String sender, String... recipients) {
        return whitelist
                .check(
                        new Question(
                                Sender.parse(sender),
                                List.of(recipients),
                                Authentication.UNCONFIRMED))
                .stream()
                .map(verdict -> verdict.reason().label())
                .toList();
    }

    /** Lists of lines with semicolons; the verdicts for u@d.example and for v@d.example. */
    @ParameterizedTest
    @CsvSource({
        // Only the administrator's lines: the most specific key decides, '!' wins on a tie.
        "a@x.example; !@x.example, listed listed",
        "!a@x.example; @x.example, denied denied",
        "a@x.example; !a@x.example to=u@d.example, denied listed",
        "a@x.example to=u@d.example; !@x.example, listed denied",
        "!a@x.example to=@d.example; a@x.example to=u@d.example, denied denied",
        // A user's or learned line lists, an administrator's '!' applies, however wide.
        "a@x.example to=u@d.example origin=user; !@x.example, denied denied",
        "a@x.example to=u@d.example origin=learned; !@.example, denied denied",
        "a@x.example to=u@d.example origin=user; !a@x.example, denied denied",
        "a@x.example to=u@d.example origin=user; !a@x.example to=u@d.example, denied stranger",
        "a@x.example to=u@d.example origin=user; !@x.example to=v@d.example, listed denied",
        "a@x.example to=u@d.example origin=user; !@x.example; a@x.example, listed listed",
        // A user's '!', the administrator's line lists.
        "!a@x.example to=u@d.example origin=user; a@x.example, denied listed",
        "!a@x.example to=u@d.example origin=user; @x.example, denied listed",
        "!a@x.example to=u@d.example origin=user; a@x.example to=u@d.example, denied stranger",
        // A user's '!' and a learned line.
        "!a@x.example to=u@d.example origin=user; a@x.example to=u@d.example origin=learned,"
                + " denied stranger",
        "!a@x.example to=v@d.example origin=user; a@x.example to=u@d.example origin=learned,"
                + " listed denied",
        // A user's or learned line lists, no '!' applies.
        "a@x.example to=u@d.example origin=user, listed stranger",
        "a@x.example to=u@d.example origin=learned, listed stranger",
        "a@x.example to=u@d.example origin=learned auth=dkim, unauthenticated stranger",
        "a@x.example to=u@d.example origin=user until=2020-01-01, expired stranger",
        "!a@x.example to=u@d.example origin=user until=2020-01-01; a@x.example, listed listed",
        "!@x.example until=2020-01-01; a@x.example to=u@d.example origin=user, listed stranger"
    })
    void shouldDecideByOrigin(String lines, String expected) throws IOException {
        Whitelist whitelist = whitelist(RecipientUsers.NONE, lines.split("; *"));
        assertThat(String.join(" ", ask(whitelist, "a@x.example", "u@d.example", "v@d.example")))
                .isEqualTo(expected);
    }

    /** For users, too, the address with its tag comes before the one without. */
    @ParameterizedTest
    @CsvSource({
        "a+t@x.example; !a@x.example to=u@d.example origin=user, denied",
        "a+t@x.example; !a@x.example to=v@d.example origin=user, listed",
        "a+t@x.example to=u@d.example origin=user; !a@x.example to=u@d.example origin=user, listed",
        "a+t@x.example to=u@d.example origin=learned; !a@x.example to=u@d.example origin=user,"
                + " denied",
        "a+t@x.example to=u@d.example origin=user; !a@x.example, denied"
    })
    void shouldDecideByOriginForTags(String lines, String expected) throws IOException {
        Whitelist whitelist = whitelist(RecipientUsers.NONE, lines.split("; *"));
        assertThat(ask(whitelist, "a+t@x.example", "u@d.example")).containsExactly(expected);
    }

    @Test
    void shouldCompareTheUserToo() throws IOException {
        Map<String, String> users =
                Map.of("sales@d.example", "u@d.example", "x@alias.example", "x@d.example");
        Whitelist whitelist =
                whitelist(
                        recipient -> {
                            String user = users.get(recipient.toString());
                            return user == null ? null : SmallLists.address(user);
                        },
                        "a@x.example to=u@d.example",
                        "b@x.example to=@d.example",
                        "c@x.example to=sales@d.example",
                        "d@x.example to=@.example");
        String[] recipients = {
            "u@d.example",
            "u+t@d.example",
            "sales@d.example",
            "sales+t@d.example",
            "x@alias.example",
            "y@alias.example"
        };
        assertThat(ask(whitelist, "a@x.example", recipients))
                .containsExactly("listed", "listed", "listed", "stranger", "stranger", "stranger");
        assertThat(ask(whitelist, "b@x.example", recipients))
                .containsExactly("listed", "listed", "listed", "listed", "listed", "stranger");
        assertThat(ask(whitelist, "c@x.example", recipients))
                .containsExactly(
                        "stranger", "stranger", "listed", "listed", "stranger", "stranger");
        assertThat(ask(whitelist, "d@x.example", recipients)).containsOnly("listed");
    }

    /** Of the header From: and the envelope, neither hides what the user says of the other. */
    @ParameterizedTest
    @CsvSource({
        "from@x.ex,  env@x.ex, listed",
        "!from@x.ex, env@x.ex, denied",
        "from@x.ex,  !env@x.ex, denied",
        "!from@x.ex, !env@x.ex, denied"
    })
    void shouldLetAUsersDenialOfEitherAddressWin(String from, String envelope, String expected)
            throws IOException {
        String of = " to=u@d.example origin=user";
        Whitelist whitelist = whitelist(RecipientUsers.NONE, from + of, envelope + of);
        Address seen = SmallLists.address("from@x.ex");
        Address sent = SmallLists.address("env@x.ex");
        for (Address sender : List.of(seen, sent, SmallLists.address("other@y.ex"))) {
            assertThat(
                            whitelist.check(
                                    new Question(
                                            new Sender.Known(sender),
                                            List.of(seen, sent),
                                            List.of(seen, sent),
                                            List.of("u@d.example"),
                                            Authentication.UNCONFIRMED)))
                    .extracting(verdict -> verdict.reason().label())
                    .containsExactly(expected);
        }
    }

    /** Nobody is asked for users when the sender has no entries for some recipients. */
    @Test
    void shouldAskForUsersOnlyWhenItMatters() throws IOException {
        List<String> asked = new ArrayList<>();
        Whitelist whitelist =
                whitelist(
                        recipient -> {
                            asked.add(recipient.toString());
                            if (recipient.local().equals("lost")) {
                                throw new IOException("the table does not answer");
                            }
                            return null;
                        },
                        "a@x.example to=u@d.example",
                        "b@x.example",
                        "@c.example");
        ask(whitelist, "stranger@x.example", "u@d.example");
        ask(whitelist, "b@x.example", "u@d.example");
        ask(whitelist, "q@c.example", "u@d.example");
        assertThat(asked).isEmpty();
        assertThat(ask(whitelist, "a@x.example", "u@d.example", "lost@d.example", "w@d.example"))
                .containsExactly("listed", "unavailable", "stranger");
        assertThat(asked).containsExactly("u@d.example", "lost@d.example", "w@d.example");
    }

    /** What a stranger and a forged sender cost, whatever the number of recipients. */
    @ParameterizedTest
    @CsvSource({"1", "50", "1000"})
    void shouldCostStrangersNothingAndForgedSendersOneReadForEachAddress(int count)
            throws IOException {
        String[] lines =
                IntStream.range(0, 5_000)
                        .mapToObj(i -> "noreply@github.example to=user" + i + "@d.example")
                        .toArray(String[]::new);
        CountingList list = new CountingList(folder, SmallLists.TIGHT, lines);
        Whitelist whitelist = new Whitelist(List.of(list), policy(r -> null));
        String[] recipients =
                IntStream.range(0, count)
                        .mapToObj(i -> "other" + i + "@d.example")
                        .toArray(String[]::new);

        assertThat(ask(whitelist, "spam@evil.test", recipients)).containsOnly("stranger");
        assertThat(list.asked).isEmpty();
        assertThat(ask(whitelist, "noreply@github.example", recipients)).containsOnly("stranger");
        assertThat(list.asked).containsOnlyOnce("noreply@github.example");
        assertThat(list.asked).filteredOn(asked -> asked.contains(" to=")).hasSize(count);
        ask(whitelist, "noreply@github.example", recipients);
        assertThat(list.asked).as("cached").hasSize(count + 1);
        assertThat(ask(whitelist, "noreply@github.example", "user7@d.example"))
                .containsExactly("listed");
    }

    @Test
    void shouldGiveEachRecipientItsEntry() throws IOException {
        Whitelist whitelist =
                whitelist(
                        RecipientUsers.NONE,
                        "a@x.example to=u@d.example note=mine",
                        "a@x.example to=v@d.example until=2090-01-01");
        List<Verdict> verdicts =
                whitelist.check(
                        new Question(
                                Sender.parse("a@x.example"),
                                List.of("u@d.example", "v@d.example", "w@d.example"),
                                Authentication.UNCONFIRMED));
        assertThat(verdicts.stream().map(verdict -> String.valueOf(verdict.entry())))
                .containsExactly(
                        "a@x.example to=u@d.example note=mine",
                        "a@x.example until=2090-01-01 to=v@d.example",
                        "null");
        assertThat(verdicts).noneMatch(Unavailable.class::isInstance);
    }
}
