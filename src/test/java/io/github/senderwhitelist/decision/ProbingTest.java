package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.IntStream;

/** Tests how many filters and stores a decision asks, by its explanation. */
class ProbingTest {
    private static final Policy UNWRAPPING =
            new Policy(
                    Subaddressing.VALUES.parse("+").orElseThrow(),
                    new Unwrapping(EnumSet.allOf(Unwrapping.Form.class), List.of("secret")),
                    AuthRequirement.ANY,
                    InstantSource.system(),
                    Subaddressing.DEFAULT,
                    RecipientUsers.NONE);

    @TempDir Path folder;

    private Generation generation(BuildOptions options, String... lines) throws IOException {
        Snapshot snapshot = SmallLists.snapshot(folder, options, lines);
        return Generation.exact(snapshot, 0);
    }

    private static MailFacts mail(String sender) {
        return new MailFacts(
                Sender.parse(sender), () -> Sender.NULL, List.of(), Authentication.UNCONFIRMED);
    }

    @ParameterizedTest
    @CsvSource({
        "stranger@example.net, 1, 2",
        "stranger@a.b.c.example.net, 1, 5",
        "stranger@net, 1, 1",
        "stranger@[192.0.2.1], 1, 1",
        "stranger+tag@example.net, 2, 2",
        "stranger+tag+more@example.net, 2, 2",
        "prvs=0123abcdef=stranger@example.net, 2, 2",
        "news-12-me=here.example@lists.example.net, 2, 3",
        // The address as written, the unwrapped one, and the unwrapped one without its tag.
        "prvs=0123abcdef=stranger+tag@example.net, 3, 2",
        "SRS0=aaaa=KT=a.b.c.d.example=stranger@example.net, 1, 2",
        "+tag@example.net, 1, 2",
    })
    void shouldAskTheFiltersThisOften(String sender, int addresses, int domains)
            throws IOException {
        Generation generation = generation(SmallLists.TIGHT, "alice@example.com", "@example.org");
        Whitelist whitelist = new Whitelist(List.of(() -> generation), UNWRAPPING);
        List<String> lines = whitelist.decide(mail(sender), true).steps();

        assertThat(lines.stream().filter(line -> line.matches("[^@].*@\\S+: no entry")))
                .hasSize(addresses);
        assertThat(lines.stream().filter(line -> line.matches("@\\S+: no entry"))).hasSize(domains);
        assertThat(lines).doesNotHaveDuplicates();
    }

    /** A filter of a rate of 1 % lets about 1 % of strangers cost a lookup. */
    @Test
    void shouldLookUpTheShareOfStrangersThatWasAskedFor() throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.01));
        String[] lines =
                IntStream.range(0, 100_000)
                        .mapToObj(i -> i % 10 == 0 ? "@d" + i + ".example" : "u" + i + "@x.example")
                        .toArray(String[]::new);
        ListCounters counters = new ListCounters();
        Snapshot snapshot = SmallLists.snapshot(folder, options, lines);
        Generation generation = new Generation(snapshot, snapshot.store(), null, 0, counters);
        Whitelist whitelist = new Whitelist(List.of(() -> generation), UNWRAPPING);
        int strangers = 200_000;
        for (int i = 0; i < strangers; i++) {
            whitelist.decide(mail("s" + i + "@mail.s" + i + ".net"), false);
        }

        // 2,000 expected; ten per cent are four and a half standard deviations.
        assertThat(counters.get(Count.LOOKUPS)).isBetween(1_800L, 2_200L);
    }
}
