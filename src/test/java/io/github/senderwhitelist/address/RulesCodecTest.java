package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

class RulesCodecTest {
    private static final Rule FULL =
            new Rule(
                    false,
                    Instant.parse("2026-01-02T00:00:00Z"),
                    Instant.parse("1969-12-31T23:59:59Z"),
                    AuthRequirement.DKIM,
                    Key.of(new byte[0], "a.example".getBytes(UTF_8)),
                    "né");

    private static Rule note(String note) {
        return new Rule(false, null, null, null, null, note);
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
                                + "050a00612e6578616d706c65"
                                + "06036ec3a9");
        assertThat(HexFormat.of().formatHex(RulesCodec.encode(List.of(Rule.DENIES, Rule.LISTS))))
                .as("in the order of bytes, the plain rule first")
                .isEqualTo("00000100");
    }

    @Test
    void shouldReadWhatItWrote() throws IOException {
        List<Rule> rules = List.of(Rule.LISTS, Rule.DENIES, FULL, note("x"));
        byte[] bytes = RulesCodec.encode(rules);
        byte[] padded = new byte[bytes.length + 5];
        System.arraycopy(bytes, 0, padded, 2, bytes.length);

        assertThat(RulesCodec.decode(padded, 2, bytes.length))
                .containsExactlyInAnyOrderElementsOf(rules);
        assertThat(RulesCodec.decode(padded, 0, 0)).containsExactly(Rule.LISTS);
    }

    @Test
    void shouldMergeInAnyOrderToTheSameBytes() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 200; round++) {
            List<Rule> rules = new ArrayList<>(List.of(Rule.LISTS, Rule.DENIES, FULL));
            for (int i = random.nextInt(8); i > 0; i--) {
                rules.add(note("n" + random.nextInt(5)));
            }
            byte[] expected = RulesCodec.encode(rules);
            Collections.shuffle(rules, new java.util.Random(round));
            byte[] merged = RulesCodec.encode(rules.getFirst());
            for (Rule rule : rules) {
                merged = RulesCodec.merge(merged, RulesCodec.encode(rule));
            }
            assertThat(merged).isEqualTo(expected);
            assertThat(RulesCodec.decode(merged, 0, merged.length)).doesNotHaveDuplicates();
        }
    }

    /** Ignoring an unknown condition could list too much, so the rule is refused. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0700", // tag 7
                "0100090107", // tag 9 after a denial
                "010100", // a denial with a byte
                "01", // cut off
                "06056161", // a note cut off
                "020200ff", // a moment of two bytes
                "0208ffffffffffffff7f", // beyond time
                "040104", // an unknown requirement
                "0401ff",
                "0500", // recipients without a key
                "05026161",
                "000101" // next with a byte
            })
    void shouldRefuseWhatItDoesNotKnow(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> RulesCodec.decode(bytes, 0, bytes.length))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("an entry has attribute \\d .*");
    }
}
