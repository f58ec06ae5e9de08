package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Copies of every length and at every place, beside the ordinary way. */
class ShortBytesTest {
    private static final int MOST = 32;

    private final SplittableRandom random = new SplittableRandom(1);

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldCopyAllBytesAndChangeNoneBeforeThem() {
        for (int length = 0; length < 100; length++) {
            for (int round = 0; round < 200; round++) {
                int from = random.nextInt(50);
                int at = random.nextInt(50);
                byte[] bytes = bytes(from + length + random.nextInt(50));
                byte[] to = bytes(at + length + random.nextInt(50));
                byte[] wanted = to.clone();
                System.arraycopy(bytes, from, wanted, at, length);

                ShortBytes.copy(bytes, from, to, at, length);

                assertThat(Arrays.copyOf(to, at + length))
                        .isEqualTo(Arrays.copyOf(wanted, at + length));
                int end = Math.clamp(at + MOST, at + length, to.length);
                assertThat(Arrays.copyOfRange(to, end, to.length))
                        .isEqualTo(Arrays.copyOfRange(wanted, end, to.length));
            }
        }
    }

    @Test
    void shouldNotGoBeyondTheArrays() {
        assertThatThrownBy(() -> ShortBytes.copy(new byte[40], 30, new byte[40], 0, 11))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> ShortBytes.copy(new byte[40], 0, new byte[40], 30, 11))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
