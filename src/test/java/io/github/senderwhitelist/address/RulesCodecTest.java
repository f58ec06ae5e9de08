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
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

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
        return join(0, rules);
    }

    private static byte[] join(int kinds, List<Rule> rules) {
        return RulesCodec.join(kinds, encoded(rules));
    }

    private static List<byte[]> encoded(List<Rule> rules) {
        return RulesCodec.ordered(rules).stream().map(RulesCodec::encode).toList();
    }

    private static List<Rule> decoded(byte[] bytes) throws IOException {
        return RulesCodec.decode(bytes, 0);
    }

    private static Set<RecipientKind> kinds(byte[] bytes) {
        return RecipientKind.ofBits(RulesCodec.bits(bytes, 0, bytes.length));
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
        byte[] padded = new byte[bytes.length + 2];
        System.arraycopy(bytes, 0, padded, 2, bytes.length);

        assertThat(RulesCodec.decode(padded, 2)).containsExactlyInAnyOrderElementsOf(rules);
        assertThat(RulesCodec.decode(padded, padded.length)).containsExactly(Rule.LISTS);
    }

    @Test
    void shouldReportKindsOfRecipients() throws IOException {
        byte[] address = RulesCodec.onlyKind(RecipientKind.ADDRESS);
        int bits = RecipientKind.ADDRESS.bit() | RecipientKind.SUBDOMAINS.bit();
        byte[] both = join(bits, List.of());
        byte[] plain = join(bits, List.of(Rule.LISTS));
        byte[] full = join(bits, List.of(FULL));
        Set<RecipientKind> kinds = Set.of(RecipientKind.ADDRESS, RecipientKind.SUBDOMAINS);

        assertThat(decoded(address)).isEmpty();
        assertThat(decoded(both)).isEmpty();
        assertThat(decoded(plain)).containsExactly(Rule.LISTS);
        assertThat(decoded(full)).containsExactly(FULL);
        assertThat(kinds(address)).containsExactly(RecipientKind.ADDRESS);
        assertThat(List.of(kinds(both), kinds(plain), kinds(full))).containsOnly(kinds);
        assertThat(RulesCodec.bits(full, 0, full.length)).isEqualTo(bits);
        assertThat(RulesCodec.bits(address, 0, address.length))
                .isEqualTo(RecipientKind.ADDRESS.bit());
        assertThat(RulesCodec.bits(full, 3, full.length)).isZero();
        assertThat(RulesCodec.bits(full, 0, 0)).isZero();
        assertThat(HexFormat.of().formatHex(full)).startsWith("070105" + "02");
        assertThat(HexFormat.of().formatHex(both)).isEqualTo("07010d");
    }

    @Test
    void shouldHaveRoomForTheSameRulesWhateverTheKinds() {
        assertThat(HexFormat.of().formatHex(join(7, List.of()))).isEqualTo("07010f");
        // A note takes two bytes of its own, and two more part it from the next.
        List<Rule> fit =
                List.of(
                        note("a".repeat(255)),
                        note("b".repeat(255)),
                        note("c".repeat(255)),
                        note("d".repeat(950 - 3 * 259 - 2)));
        List<Rule> more = new ArrayList<>(fit);
        more.set(3, note("d".repeat(950 - 3 * 259 - 1)));
        for (int kinds : new int[] {0, 7}) {
            assertThat(join(kinds, fit)).hasSize(950 + (kinds == 0 ? 0 : 3));
        }
        assertThat(RulesCodec.fitting(encoded(more))).isEqualTo(3);
        assertThat(RulesCodec.fit(fit)).isTrue();
        assertThat(RulesCodec.fit(more)).isFalse();
        assertThat(RulesCodec.ordered(fit)).containsExactlyInAnyOrderElementsOf(fit);
    }

    @Test
    void shouldKeepAllKindsAndTheEndsOfTime() throws IOException {
        byte[] all = {7, 1, 15};
        assertThat(decoded(all)).isEmpty();
        assertThat(kinds(all)).containsExactlyInAnyOrder(RecipientKind.values());
        for (Instant end : List.of(Instant.MIN, Instant.MAX.truncatedTo(ChronoUnit.SECONDS))) {
            Rule rule = new Rule(false, end, null, null, Origin.ADMIN, "");
            assertThat(decoded(RulesCodec.encode(rule))).containsExactly(rule);
        }
    }

    /** Ignoring an unknown condition could list too much, so the rule is refused. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0900", // tag 9
                "0700", // kinds without a value
                "070100", // no kinds
                "070108", // no kinds, and no rules
                "070110", // an unknown kind
                "01000701", // kinds after a rule
                "0100090107", // tag 9 after a denial
                "010100", // a denial with a byte
                "01", // cut off
                "06056161", // a note cut off
                "020200ff", // a moment of two bytes
                "0208ffffffffffffff7f", // beyond time
                "040104", // an unknown requirement
                "0401ff",
                "0403010100", // a requirement of three bytes, of which two could be a denial
                "00020100", // the same after "next"
                "050103", // an unknown origin
                "0500",
                "080001", // a dropped rule, which no store has
                "000101" // next with a byte
            })
    void shouldRefuseWhatItDoesNotKnow(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> decoded(bytes))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("an entry has an attribute that is damaged");
    }
}
