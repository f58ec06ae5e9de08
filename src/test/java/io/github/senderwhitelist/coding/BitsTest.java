package io.github.senderwhitelist.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Tests the writer and the reader of bits against a list of single bits. */
class BitsTest {
    private static final int CAPACITY = 1000;

    /** A writer, and the bits that it must hold. */
    private static final class Written {
        final BitWriter writer = new BitWriter(CAPACITY);
        final boolean[] bits = new boolean[8 * CAPACITY];

        void put(int value, int width) {
            for (int i = 0; i < width; i++) {
                bits[writer.position() + i] = (value >>> i & 1) != 0;
            }
            writer.put(value, width);
        }

        void putRandom(SplittableRandom random, int count) {
            for (int i = 0; i < count; i++) {
                int width = random.nextInt(32);
                put(random.nextInt() & ((1 << width) - 1), width);
            }
        }

        void requireSame() {
            byte[] bytes = Arrays.copyOf(writer.bytes(), CAPACITY + BitReader.PADDING);
            BitReader reader = new BitReader(bytes);
            for (int i = 0; i < 8 * CAPACITY; i++) {
                assertThat(reader.bits(1) == 1).isEqualTo(i < writer.position() && bits[i]);
            }
        }
    }

    @Test
    void shouldReadNumbersOfAllWidths() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 50; round++) {
            int[] widths = random.ints(200, 0, 32).toArray();
            BitWriter writer = new BitWriter(CAPACITY);
            long seed = random.nextLong();
            SplittableRandom values = new SplittableRandom(seed);
            for (int width : widths) {
                writer.put(values.nextInt() & ((1 << width) - 1), width);
            }
            byte[] written = writer.bytes();
            byte[] bytes = new byte[7 + CAPACITY + BitReader.PADDING];
            System.arraycopy(written, 0, bytes, 7, written.length);
            BitReader reader = new BitReader(bytes);
            reader.position(56);
            values = new SplittableRandom(seed);
            for (int width : widths) {
                assertThat(reader.bits(width)).isEqualTo(values.nextInt() & ((1 << width) - 1));
            }
            assertThat(reader.position()).isEqualTo(56 + writer.position());
        }
    }

    @Test
    void shouldTakeBitsBackAndWriteOthers() {
        SplittableRandom random = new SplittableRandom(2);
        Written written = new Written();
        for (int round = 0; round < 300; round++) {
            written.writer.truncate(random.nextInt(1 + Math.min(written.writer.position(), 6000)));
            written.putRandom(random, random.nextInt(30));
            written.requireSame();
        }
    }

    @Test
    void shouldCopyBitsOfAnotherWriterFromAnyToAny() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 200; round++) {
            Written other = new Written();
            other.putRandom(random, 40);
            Written written = new Written();
            written.putRandom(random, random.nextInt(20));
            int from = random.nextInt(other.writer.position());
            int to = random.nextInt(from, other.writer.position() + 1);
            System.arraycopy(other.bits, from, written.bits, written.writer.position(), to - from);
            written.writer.put(other.writer, from, to);
            written.requireSame();
        }
    }

    @Test
    void shouldPeekAtSoManyBitsAtEachPosition() {
        byte[] bytes = new byte[100 + BitReader.PADDING];
        new SplittableRandom(4).nextBytes(bytes);
        BitReader single = new BitReader(bytes);
        BitReader reader = new BitReader(bytes);
        for (int position = 0; position + BitReader.PEEKED <= 800; position++) {
            reader.position(position);
            single.position(position);
            for (int i = 0; i < BitReader.PEEKED; i++) {
                assertThat((int) (reader.peek() >>> i) & 1).isEqualTo(single.bits(1));
            }
        }
    }

    @Test
    void shouldRefuseToReadOrWriteBeyondTheArray() {
        BitReader reader = new BitReader(new byte[4 + BitReader.PADDING]);
        reader.skip(40);
        assertThatThrownBy(() -> reader.bits(1)).isInstanceOf(IndexOutOfBoundsException.class);
        reader.position(-8);
        assertThatThrownBy(reader::peek).isInstanceOf(IndexOutOfBoundsException.class);
        BitWriter writer = new BitWriter(4);
        writer.put(1, 20);
        writer.put(1, 20);
        assertThatThrownBy(() -> writer.put(1, 20)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
