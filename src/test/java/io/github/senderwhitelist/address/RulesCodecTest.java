package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

class RulesCodecTest {
    private static final Rule FULL =
            new Rule(
                    false,
                    Instant.parse("2026-01-02T00:00:00Z"),
                    Instant.parse("1969-12-31T23:59:59Z"),
                    AuthRequirement.DKIM,
                    Origin.LEARNED,
                    "né");

    private static byte[] encode(List<Rule> rules) {
        return RulesCodec.withRules(RulesCodec.PLAIN, rules);
    }

    private static Rule note(String note) {
        return new Rule(false, null, null, null, Origin.ADMIN, note);
    }

    /** These bytes are the format of snapshots. They must never change. */
    @Test
    void shouldHaveTheBytesOfTheFormat() {
        assertThat(RulesCodec.encode(Rule.LISTS)).isEmpty();
        assertThat(RulesCodec.encode(Rule.DENIES)).containsExactly(1, 0);
        assertThat(HexFormat.of().formatHex(RulesCodec.encode(FULL)))
                .isEqualTo(
                        "0208800a576900000000" // 1,767,312,000 seconds
                                + "0308ffffffffffffffff"
                                + "040102"
                                + "050102"
                                + "06036ec3a9");
        assertThat(HexFormat.of().formatHex(encode(List.of(Rule.DENIES, Rule.LISTS))))
                .as("in the order of bytes, the plain rule first")
                .isEqualTo("00000100");
    }

    @Test
    void shouldReadWhatItWrote() throws IOException {
        List<Rule> rules = List.of(Rule.LISTS, Rule.DENIES, FULL, note("x"));
        byte[] bytes = encode(rules);
        byte[] padded = new byte[bytes.length + 5];
        System.arraycopy(bytes, 0, padded, 2, bytes.length);

        assertThat(RulesCodec.decode(padded, 2, bytes.length).rules())
                .containsExactlyInAnyOrderElementsOf(rules);
        assertThat(RulesCodec.decode(padded, 0, 0).rules()).containsExactly(Rule.LISTS);
    }

    @Test
    void shouldMergeInAnyOrderToTheSameBytes() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 200; round++) {
            List<Rule> rules = new ArrayList<>(List.of(Rule.LISTS, Rule.DENIES, FULL));
            for (int i = random.nextInt(8); i > 0; i--) {
                rules.add(note("n" + random.nextInt(5)));
            }
            byte[] expected = encode(rules);
            Collections.shuffle(rules, new java.util.Random(round));
            byte[] merged = RulesCodec.encode(rules.getFirst());
            for (Rule rule : rules) {
                merged = RulesCodec.merge(merged, RulesCodec.encode(rule));
            }
            assertThat(merged).isEqualTo(expected);
            assertThat(RulesCodec.decode(merged, 0, merged.length).rules()).doesNotHaveDuplicates();
        }
    }

    /** The rules that there is room for are the same in whatever order they come. */
    @Test
    void shouldKeepTheSameRulesInAnyOrder() throws IOException {
        for (int round = 0; round < 100; round++) {
            SplittableRandom random = new SplittableRandom(round);
            List<Rule> rules = new ArrayList<>(List.of(Rule.LISTS, Rule.DENIES));
            for (int i = 0; i < 40; i++) {
                rules.add(note("n".repeat(1 + random.nextInt(200)) + i));
            }
            byte[] expected = encode(rules);
            byte[] folded = RulesCodec.PLAIN;
            Collections.shuffle(rules, new java.util.Random(round));
            List<byte[]> parts = new ArrayList<>();
            for (Rule rule : rules) {
                parts.add(RulesCodec.encode(rule));
            }
            while (parts.size() > 1) {
                byte[] a = parts.remove(random.nextInt(parts.size()));
                byte[] b = parts.remove(random.nextInt(parts.size()));
                parts.add(RulesCodec.merge(a, b));
            }
            folded = parts.getFirst();
            assertThat(folded).startsWith(expected).hasSizeLessThan(RulesCodec.MAX_IN_RUN);
            assertThat(expected).hasSizeLessThanOrEqualTo(RulesCodec.MAX_BYTES);
            List<Rule> kept = RulesCodec.kept(folded);
            assertThat(RulesCodec.decode(expected, 0, expected.length).rules()).isEqualTo(kept);
            assertThat(kept).contains(Rule.LISTS, Rule.DENIES).hasSizeLessThan(rules.size());
            assertThat(rules).containsAll(kept).contains(RulesCodec.dropped(folded));
            assertThat(kept).doesNotContain(RulesCodec.dropped(folded));
            assertThat(
                            rules.stream()
                                    .filter(rule -> !kept.contains(rule))
                                    .map(RulesCodec::encode)
                                    .min(Arrays::compareUnsigned))
                    .contains(
                            RulesCodec.encode(Objects.requireNonNull(RulesCodec.dropped(folded))));
        }
        assertThat(RulesCodec.dropped(RulesCodec.PLAIN)).isNull();
        assertThat(RulesCodec.dropped(RulesCodec.encode(FULL))).isNull();
    }

    @Test
    void shouldReportKindsOfRecipients() throws IOException {
        byte[] address = RulesCodec.onlyKind(RecipientKind.ADDRESS);
        byte[] both = RulesCodec.merge(RulesCodec.onlyKind(RecipientKind.SUBDOMAINS), address);
        byte[] plain = RulesCodec.merge(RulesCodec.PLAIN, both);
        byte[] full = RulesCodec.merge(both, RulesCodec.encode(FULL));
        Set<RecipientKind> kinds = Set.of(RecipientKind.ADDRESS, RecipientKind.SUBDOMAINS);

        assertThat(RulesCodec.decode(address, 0, address.length))
                .isEqualTo(new RulesCodec.Decoded(List.of(), Set.of(RecipientKind.ADDRESS)));
        assertThat(RulesCodec.decode(both, 0, both.length))
                .isEqualTo(new RulesCodec.Decoded(List.of(), kinds));
        assertThat(RulesCodec.decode(plain, 0, plain.length))
                .isEqualTo(new RulesCodec.Decoded(List.of(Rule.LISTS), kinds));
        assertThat(RulesCodec.decode(full, 0, full.length))
                .isEqualTo(new RulesCodec.Decoded(List.of(FULL), kinds));
        assertThat(RulesCodec.withRules(full, List.of(Rule.DENIES)))
                .isEqualTo(RulesCodec.merge(both, RulesCodec.encode(Rule.DENIES)));
        assertThat(RulesCodec.merge(full, RulesCodec.encode(Rule.DENIES)))
                .as("rules of both, after the kinds")
                .isEqualTo(RulesCodec.merge(both, encode(List.of(FULL, Rule.DENIES))));
        assertThat(HexFormat.of().formatHex(full)).startsWith("070105" + "02");
        assertThat(HexFormat.of().formatHex(both)).isEqualTo("07010d");
    }

    @Test
    void shouldHaveRoomForTheSameRulesWhateverTheKinds() {
        Set<RecipientKind> all = Set.of(RecipientKind.values());
        byte[] head = Objects.requireNonNull(RulesCodec.encode(List.of(), all));
        assertThat(HexFormat.of().formatHex(head)).isEqualTo("07010f");
        // A note takes two bytes of its own, and two more part it from the next.
        List<Rule> fit =
                List.of(
                        note("a".repeat(255)),
                        note("b".repeat(255)),
                        note("c".repeat(255)),
                        note("d".repeat(950 - 3 * 259 - 2)));
        List<Rule> more = new ArrayList<>(fit);
        more.set(3, note("d".repeat(950 - 3 * 259 - 1)));
        for (Set<RecipientKind> kinds : List.of(Set.<RecipientKind>of(), all)) {
            int extra = kinds.isEmpty() ? 0 : 3;
            assertThat(RulesCodec.encode(fit, kinds)).hasSize(950 + extra);
            assertThat(RulesCodec.encode(more, kinds)).isNull();
        }
        assertThat(RulesCodec.joined(fit)).containsExactlyInAnyOrderElementsOf(fit);
        assertThat(RulesCodec.joined(more)).isNull();
    }

    @Test
    void shouldKeepAllKindsAndTheEndsOfTime() throws IOException {
        byte[] kinds = {7, 1, 15};
        assertThat(RulesCodec.decode(kinds, 0, 3).kinds()).containsExactly(RecipientKind.values());
        for (Instant end : List.of(Instant.MIN, Instant.MAX.truncatedTo(ChronoUnit.SECONDS))) {
            Rule rule = new Rule(false, end, null, null, Origin.ADMIN, "");
            byte[] bytes = RulesCodec.encode(rule);
            assertThat(RulesCodec.decode(bytes, 0, bytes.length).rules()).containsExactly(rule);
        }
    }

    /** Ignoring an unknown condition could list too much, so the rule is refused. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0900", // tag 9
                "0700", // kinds without a value
                "01000701", // kinds after a rule
                "0100090107", // tag 9 after a denial
                "010100", // a denial with a byte
                "01", // cut off
                "06056161", // a note cut off
                "020200ff", // a moment of two bytes
                "0208ffffffffffffff7f", // beyond time
                "040104", // an unknown requirement
                "0401ff",
                "050103", // an unknown origin
                "0500",
                "080001", // a dropped rule, which no store has
                "000101" // next with a byte
            })
    void shouldRefuseWhatItDoesNotKnow(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> RulesCodec.decode(bytes, 0, bytes.length))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("an entry has attribute \\d .*");
    }
}
