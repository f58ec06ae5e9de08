package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

class RanksTest {
    private static final List<String> STRINGS =
            List.of("", "b.example", "a.example", "a".repeat(255), "a".repeat(254), "c");

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    private static byte[] serial(List<String> strings) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Ranks.of(strings.stream().map(RanksTest::bytes).toList()).write(out);
        return out.toByteArray();
    }

    private static Ranks read(byte[] serial) throws IOException {
        return Ranks.read(ByteBuffer.wrap(serial).order(LITTLE_ENDIAN));
    }

    @Test
    void rankShouldBeThatOfTheStringWhenWrittenAndRead() throws IOException {
        Ranks ranks = read(serial(STRINGS));
        for (int rank = 0; rank < STRINGS.size(); rank++) {
            byte[] string = bytes(STRINGS.get(rank));
            assertThat(ranks.rank(string, 0, string.length)).isEqualTo(rank);
            assertThat(ranks.get(rank)).isEqualTo(string);
        }
        assertThat(ranks.rank(bytes("xcx"), 1, 2)).isEqualTo(5);
        assertThat(ranks.rank(bytes("a"), 0, 1)).isEqualTo(Ranks.NONE);
        assertThat(read(serial(List.of())).rank(bytes("a"), 0, 1)).isEqualTo(Ranks.NONE);
    }

    @Test
    void readShouldRefuseEachLengthThatIsCutOff() {
        byte[] serial = serial(STRINGS);
        for (int length = 0; length < serial.length; length++) {
            byte[] cut = Arrays.copyOf(serial, length);
            assertThatIOException().isThrownBy(() -> read(cut));
        }
    }

    /** Else many of one string would take the square of their number to open. */
    @Test
    void readShouldRefuseAStringThatComesTwice() {
        byte[] forged = new byte[4 + 200_000];
        ByteBuffer.wrap(forged).order(LITTLE_ENDIAN).putInt(200_000);
        assertThatIOException().isThrownBy(() -> read(forged)).withMessageContaining("twice");
    }

    @Test
    void frequentShouldHaveTheMostFrequentFirstWhenTheRarerHalfWasForgotten() {
        RankCounts.Counter frequencies = new RankCounts.Counter(100);
        for (int i = 0; i < 10_000; i++) {
            byte[] rare = bytes("rare" + i);
            frequencies.count(rare, 0, rare.length);
            for (int often = 0; often < 3; often++) {
                byte[] frequent = bytes("often" + Math.min(i % 10, 3 + often));
                frequencies.count(frequent, 0, frequent.length);
            }
        }
        assertThat(frequencies.frequent(6))
                .extracting(string -> new String(string, US_ASCII))
                .containsExactly("often3", "often4", "often5", "often0", "often1", "often2");
        assertThat(frequencies.frequent(1000)).hasSizeBetween(50, 101);
    }
}
