package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.filter.FilterSize;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;

/** A mail costs one question to the database, however many keys and recipients it has. */
class OneQuestionTest {
    private final MemoryTable table = new MemoryTable();

    private final LivingList list =
            LivingList.open(
                    new LivingSettings(
                            "own",
                            FilterSize.ofBitsPerKey(16),
                            1_000,
                            Duration.ofMinutes(1),
                            Duration.ofMinutes(1),
                            Duration.ofMinutes(1),
                            Duration.ofSeconds(20)),
                    table,
                    null,
                    new LivingListener() {
                        @Override
                        public void built(LivingStatus status) {}

                        @Override
                        public void failed(String what, Throwable cause) {}

                        @Override
                        public void recovered() {}
                    },
                    new ListCounters(LookupTimer.NONE));

    private final Whitelist whitelist =
            new Whitelist(
                    List.of(list),
                    new Policy(
                            Subaddressing.DEFAULT,
                            Unwrapping.NONE,
                            AuthRequirement.NONE,
                            InstantSource.system(),
                            Subaddressing.DEFAULT,
                            RecipientUsers.NONE));

    @AfterEach
    void close() throws IOException {
        list.close();
    }

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }

    private void put(Key sender, @Nullable Key to, Origin origin, boolean denied)
            throws IOException {
        Rule rule = new Rule(denied, null, null, null, origin, "");
        list.put(new Entry(sender, to, List.of(rule)), "test");
    }

    private List<Verdict> check(String sender, int recipients) {
        return whitelist.check(
                new Question(
                        new Known(SmallLists.address(sender)),
                        IntStream.range(0, recipients).mapToObj(i -> "u" + i + "@here.ex").toList(),
                        Authentication.UNCONFIRMED));
    }

    @Test
    void shouldAskOnceForAllKeysAndRecipients() throws IOException {
        Key alice = key("alice@example.com");
        put(alice, key("u3@here.ex"), Origin.USER, false);
        put(alice, key("u5@here.ex"), Origin.USER, true);
        put(
                SmallLists.address("x@example.com").keys(Subaddressing.NONE).get(1),
                null,
                Origin.ADMIN,
                false);
        int before = table.questions();
        List<Verdict> verdicts = check("alice+tag@example.com", 200);
        assertThat(table.questions() - before).isEqualTo(1);
        assertThat(verdicts.get(3)).isInstanceOf(Listed.class);
        assertThat(verdicts.get(5)).isInstanceOf(NotListed.class);
        assertThat(verdicts.get(7)).isInstanceOf(Listed.class);

        assertThat(check("alice+tag@example.com", 200)).isEqualTo(verdicts);
        assertThat(table.questions() - before).isEqualTo(1);
        check("stranger@elsewhere.example", 200);
        assertThat(table.questions() - before).isEqualTo(1);
    }

    /**
     * Once for the sender, then for 500 recipients and domains at a time: other mails get a turn.
     */
    @Test
    void shouldAskInPartsWhenThereAreThousandsOfRecipients() throws IOException {
        Key alice = key("alice@example.com");
        put(alice, key("u3@here.ex"), Origin.USER, false);
        int before = table.questions();
        List<Verdict> verdicts = check("alice@example.com", 5_000);
        assertThat(table.questions() - before).isEqualTo(1 + 11);
        assertThat(verdicts.get(3)).isInstanceOf(Listed.class);
        assertThat(verdicts.get(4_999)).isInstanceOf(NotListed.class);
    }

    @Test
    void shouldNotAskADatabaseThatFailsForEachRecipient() throws IOException {
        put(key("alice@example.com"), key("u3@here.ex"), Origin.USER, false);
        table.fail("gone");
        int before = table.questions();
        assertThat(check("alice@example.com", 100))
                .allMatch(verdict -> verdict instanceof Unavailable);
        assertThat(table.questions() - before).isEqualTo(1);
    }
}
