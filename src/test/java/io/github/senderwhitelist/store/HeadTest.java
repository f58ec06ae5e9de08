package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.coding.BitReader;
import io.github.senderwhitelist.coding.BitWriter;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

class HeadTest {
    private static final String BYTES = "\0\0\1aaaabbeeinrst.-_09z\u007fAZ\u00ff";

    private final SplittableRandom random = new SplittableRandom(1);

    private byte[] key() {
        byte[] key = new byte[random.nextInt(14)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) BYTES.charAt(random.nextInt(1 + random.nextInt(BYTES.length())));
        }
        return key;
    }

    /** Returns a head whose codes suit some random keys. */
    private Head head() {
        FieldCounts counts = new FieldCounts(1);
        for (int i = random.nextInt(100); i > 0; i--) {
            byte[] key = key();
            counts.head(key, random.nextInt(key.length + 1), key.length);
        }
        return new Head(counts.codes());
    }

    @Test
    void shouldHaveTheOrderOfSortKeys() {
        int different = 0;
        for (int round = 0; round < 100; round++) {
            Head head = head();
            for (int i = 0; i < 1000; i++) {
                byte[] one = key();
                byte[] other = key();
                int prefix = random.nextInt(1 + Math.min(one.length, other.length));
                System.arraycopy(one, 0, other, 0, prefix);
                int ofOne = head.of(one, prefix, one.length);
                int ofOther = head.of(other, prefix, other.length);
                assertThat(ofOne).isBetween(0, (1 << Head.BITS) - 1);
                assertThat(Integer.signum(Integer.compare(ofOne, ofOther)))
                        .isIn(0, Integer.signum(Arrays.compareUnsigned(one, other)));
                different += ofOne == ofOther ? 0 : 1;
            }
        }
        assertThat(different).isGreaterThan(80_000);
    }

    @Test
    void shouldReportTheSymbolsThatItIsMadeOf() {
        int told = 0;
        Head head = head();
        for (int round = 0; round < 20_000; round++) {
            head = round % 200 == 0 ? head() : head;
            String local = new String(key(), ISO_8859_1).replace("\0", "");
            byte[] key = (local + "\0domain").getBytes(ISO_8859_1);
            int from = random.nextInt(local.length() + 1);
            BitWriter out = new BitWriter(20);
            int known = head.writeRest(out, key, from, local.length());
            if (known < 0) {
                assertThat(local.substring(from)).containsPattern("[\u0001\u007fAZ\u00ff]");
                continue;
            }
            BitReader in = new BitReader(Arrays.copyOf(out.bytes(), 20 + BitReader.PADDING));
            byte[] text = Arrays.copyOf(key, from + 40);
            Arrays.fill(text, from, text.length, (byte) '?');
            int read = head.read(in, head.of(key, from, key.length), text, from);
            assertThat(read).isEqualTo(known);
            assertThat(in.position()).isEqualTo(out.position());
            assertThat(Arrays.copyOf(text, read)).isEqualTo(Arrays.copyOf(key, read));
            assertThat(read).isLessThanOrEqualTo(local.length() + 1);
            told += read - from;
        }
        assertThat(told).isGreaterThan(20_000);
    }
}
