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

class BlockIndexTest {
    private static ByteBuffer serial(Iterable<String> separators) {
        ByteArrayOutputStream serial = new ByteArrayOutputStream();
        for (String separator : separators) {
            BlockIndex.append(serial, new byte[] {1, 2, 3}, separator.getBytes(ISO_8859_1));
        }
        return ByteBuffer.wrap(serial.toByteArray()).order(LITTLE_ENDIAN);
    }

    @Test
    void findShouldGiveTheLastBlockWhoseSeparatorIsNotGreater() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        TreeSet<String> separators = new TreeSet<>(List.of(""));
        while (separators.size() < 3000) {
            separators.add(text(random));
        }
        BlockIndex index = BlockIndex.read(serial(separators), separators.size());
        for (int i = 0; i < 10_000; i++) {
            String key = text(random);
            int expected = separators.headSet(key, true).size() - 1;
            assertThat(index.find(key.getBytes(ISO_8859_1))).isEqualTo(expected);
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
    void readShouldRefuseWhenItEndsEarlyOrHasAnotherNumberOfBlocks() {
        byte[] serial = serial(List.of("", "ab")).array();
        for (int length = 0; length < serial.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(serial, length)).order(LITTLE_ENDIAN);
            assertThatIOException().isThrownBy(() -> BlockIndex.read(cut, 2));
        }
        for (long blocks : new long[] {-1, 3, 4, Integer.MAX_VALUE, Long.MAX_VALUE}) {
            assertThatIOException()
                    .isThrownBy(() -> BlockIndex.read(serial(List.of("", "ab")), blocks));
        }
    }
}
