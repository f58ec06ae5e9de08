package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.SortKey;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Tests what is in memory of a store: its ranks and the index of its blocks. */
class RanksTest {
    private static final List<String> STRINGS =
            List.of("", "b.example", "a.example", "a".repeat(255), "a".repeat(254), "c");

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN);
    }

    private static byte[] serial(List<String> strings) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Ranks.of(strings.stream().map(RanksTest::bytes).toList()).write(out);
        return out.toByteArray();
    }

    @Test
    void rankShouldBeThatOfTheStringWhenWrittenAndRead() throws IOException {
        Ranks ranks = Ranks.of(STRINGS.stream().map(RanksTest::bytes).toList());
        byte[][] read = Ranks.read(littleEndian(serial(STRINGS)), STRINGS.size());
        for (int rank = 0; rank < STRINGS.size(); rank++) {
            byte[] string = bytes(STRINGS.get(rank));
            assertThat(ranks.rank(string, 0, string.length)).isEqualTo(rank);
            assertThat(read[rank]).isEqualTo(string);
        }
        assertThat(ranks.rank(bytes("xcx"), 1, 2)).isEqualTo(5);
        assertThat(ranks.rank(bytes("a"), 0, 1)).isEqualTo(Ranks.NONE);
        assertThat(Ranks.read(littleEndian(serial(List.of())), 0)).isEmpty();
    }

    @Test
    void readShouldRefuseRanksThatAreCutOffOrTooManyOrTooLong() {
        byte[] serial = serial(STRINGS);
        for (int length = 0; length < serial.length; length++) {
            byte[] cut = Arrays.copyOf(serial, length);
            assertThatIOException().isThrownBy(() -> Ranks.read(littleEndian(cut), 9));
        }
        assertThatIOException().isThrownBy(() -> Ranks.read(littleEndian(serial), 5));
        byte[] tooLong = Arrays.copyOf(new byte[] {2, 0, 0, 0, 1, 'a', 0x1f, (byte) 255}, 300);
        assertThatIOException().isThrownBy(() -> Ranks.read(littleEndian(tooLong), 9));
    }

    @Test
    void frequentShouldHaveTheMostFrequentFirstWhenTheRarerHalfWasForgotten() {
        Ranks counted = new Ranks();
        for (int i = 0; i < 10_000; i++) {
            counted = counted.bounded(100);
            byte[] rare = bytes("rare" + i);
            counted.count(rare, 0, rare.length);
            for (int often = 0; often < 3; often++) {
                counted = counted.bounded(100);
                byte[] frequent = bytes("often" + Math.min(i % 10, 3 + often));
                counted.count(frequent, 0, frequent.length);
            }
        }
        assertThat(counted.frequent(6))
                .extracting(string -> new String(string, ISO_8859_1))
                .containsExactly("often3", "often4", "often5", "often0", "often1", "often2");
        assertThat(counted.frequent(1000)).hasSizeBetween(50, 101);
    }

    /** Also those that come when the table has to grow. */
    @Test
    void frequentShouldKeepTheOrderOfStringsThatAreEquallyFrequent() {
        Ranks counted = new Ranks();
        for (int i = 0; i < 1000; i++) {
            byte[] string = bytes("string" + i);
            counted.count(string, 0, string.length);
        }
        assertThat(counted.frequent(1000))
                .extracting(string -> new String(string, ISO_8859_1))
                .containsExactlyElementsOf(
                        IntStream.range(0, 1000).mapToObj(i -> "string" + i).toList());
    }

    private static ByteBuffer index(Iterable<String> separators) {
        ByteArrayOutputStream serial = new ByteArrayOutputStream();
        for (String separator : separators) {
            BlockIndex.append(serial, new byte[] {1, 2, 3}, bytes(separator));
        }
        return littleEndian(serial.toByteArray());
    }

    @Test
    void findShouldGiveTheLastBlockWhoseSeparatorIsNotGreater() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        TreeSet<String> separators = new TreeSet<>(List.of(""));
        while (separators.size() < 3000) {
            separators.add(text(random));
        }
        BlockIndex index = new BlockIndex(index(separators), separators.size());
        for (int i = 0; i < 10_000; i++) {
            String key = text(random);
            int expected = separators.headSet(key, true).size() - 1;
            assertThat(index.find(bytes(key))).isEqualTo(expected);
        }
    }

    /** Few letters, so that much is shared; sometimes the longest of all. */
    private static String text(SplittableRandom random) {
        int most = random.nextInt(50) == 0 ? SortKey.MAX_LENGTH : 1 << random.nextInt(1, 7);
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(1, most + 1); left > 0; left--) {
            text.append(random.nextInt(20) == 0 ? (char) 0xff : (char) ('a' + random.nextInt(2)));
        }
        return text.toString();
    }

    @Test
    void indexShouldBeRefusedWhenItEndsEarlyOrHasAnotherNumberOfBlocks() {
        byte[] serial = index(List.of("", "ab")).array();
        for (int length = 0; length < serial.length; length++) {
            byte[] cut = Arrays.copyOf(serial, length);
            assertThatIOException().isThrownBy(() -> new BlockIndex(littleEndian(cut), 2));
        }
        for (long blocks : new long[] {-1, 3, 4, Integer.MAX_VALUE, Long.MAX_VALUE}) {
            assertThatIOException().isThrownBy(() -> new BlockIndex(littleEndian(serial), blocks));
        }
    }
}
