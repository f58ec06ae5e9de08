package io.github.senderwhitelist.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

class ContextCodeTest {
    private static final int ALONE = 255;

    private static byte[] serial(ContextCode code) {
        ByteArrayOutputStream serial = new ByteArrayOutputStream();
        code.write(serial);
        return serial.toByteArray();
    }

    private static ContextCode read(byte[] serial, int contexts, int symbols) throws IOException {
        return ContextCode.read(ByteBuffer.wrap(serial), contexts, symbols, false);
    }

    /** Returns the serial form of a code with one context and these lengths. */
    private static byte[] ofLengths(int... lengths) {
        byte[] serial = new byte[3 + 2 * lengths.length];
        serial[0] = 1;
        serial[2] = 1;
        for (int i = 0; i < lengths.length; i++) {
            serial[3 + 2 * i] = (byte) lengths[i];
            serial[4 + 2 * i] = 1;
        }
        return serial;
    }

    @Test
    void shouldReadTheSymbolsThatItWrote() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 100; round++) {
            int contexts = 1 + random.nextInt(50);
            int symbols = 1 + random.nextInt(70);
            ContextCounts counts = new ContextCounts(contexts, symbols);
            for (int i = random.nextInt(3000); i > 0; i--) {
                counts.add(random.nextInt(contexts), random.nextInt(1 + random.nextInt(symbols)));
            }
            int most = 1 + random.nextInt(8);
            int[] groups = random.ints(contexts, 0, most).toArray();
            ContextCode written = counts.code(groups, most, random.nextInt(symbols));
            byte[] serial = serial(written);
            ByteBuffer form = ByteBuffer.wrap(serial);
            ContextCode read = ContextCode.read(form, contexts, symbols, false);
            assertThat(form.hasRemaining()).isFalse();
            assertThat(serial(read)).isEqualTo(serial);

            BitWriter out = new BitWriter(2000);
            int[] asked = new int[1000];
            for (int i = 0; i < asked.length; i++) {
                int before = out.position();
                int context = random.nextInt(contexts);
                int symbol = random.nextInt(symbols);
                if (written.write(out, context, symbol)) {
                    asked[i] = 1 + context * symbols + symbol;
                    assertThat(out.position() - before).isLessThanOrEqualTo(ContextCode.LONGEST);
                } else {
                    assertThat(out.position()).isEqualTo(before);
                }
            }
            byte[] bytes = Arrays.copyOf(out.bytes(), 2000 + BitReader.PADDING);
            BitReader in = new BitReader(bytes);
            for (int ask : asked) {
                if (ask > 0) {
                    assertThat(read.read(in, (ask - 1) / symbols)).isEqualTo((ask - 1) % symbols);
                }
            }
            assertThat(in.position()).isEqualTo(out.position());
        }
    }

    /** 0 has the code 0, 2 has 10, 1 has 110, 3 has 111; the highest bit of each comes first. */
    @Test
    void shouldGiveOutCodesByLengthAndSymbol() throws IOException {
        ContextCode code = read(ofLengths(1, 3, 2, 3), 1, 4);
        BitWriter out = new BitWriter(4);
        for (int symbol : new int[] {2, 0, 1, 3, 0}) {
            assertThat(code.write(out, 0, symbol)).isTrue();
        }
        assertThat(out.bytes()).isEqualTo(new byte[] {(byte) 0b1101_1001, 0b01});
        assertThat(out.position()).isEqualTo(10);
    }

    /** 0 has the code 00, 1 has 010, 2 has 011, 3 has 1. */
    @Test
    void shouldGiveOutCodesInTheOrderOfSymbols() throws IOException {
        byte[] serial = ofLengths(2, 3, 3, 1);
        ContextCode code = ContextCode.read(ByteBuffer.wrap(serial), 1, 4, true);
        BitWriter out = new BitWriter(4);
        for (int symbol : new int[] {1, 3, 0, 2}) {
            assertThat(code.write(out, 0, symbol)).isTrue();
        }
        assertThat(out.bytes()).isEqualTo(new byte[] {(byte) 0b1000_1010, 0b1});
        assertThat(out.position()).isEqualTo(9);
        BitReader in = new BitReader(Arrays.copyOf(out.bytes(), 2 + BitReader.PADDING));
        for (int symbol : new int[] {1, 3, 0, 2}) {
            assertThat(code.read(in, 0)).isEqualTo(symbol);
        }
    }

    @Test
    void shouldRefuseCodesThatCannotBeInOrder() {
        for (int[] lengths : new int[][] {{1, 2, 3, 3}, {3, 3, 2, 1}, {2, 3, 3, 1}, {2, 2, 2, 2}}) {
            byte[] serial = ofLengths(lengths);
            assertThatCode(() -> ContextCode.read(ByteBuffer.wrap(serial), 1, 4, true))
                    .doesNotThrowAnyException();
        }
        for (int[] lengths :
                new int[][] {
                    {3, 2, 3, 1},
                    {1, 3, 2, 3},
                    {1, 1, 0, 0},
                    {ALONE, 0, 0, 0},
                    {2, 2, 2, 3},
                    {9, 9, 8, 7}
                }) {
            byte[] serial = ofLengths(lengths);
            assertThatIOException()
                    .isThrownBy(() -> ContextCode.read(ByteBuffer.wrap(serial), 1, 4, true));
        }
    }

    @Test
    void shouldTakeNoBitsForASymbolThatIsAlone() throws IOException {
        ContextCode code = read(ofLengths(0, 0, ALONE), 1, 3);
        BitWriter out = new BitWriter(0);
        assertThat(code.write(out, 0, 2)).isTrue();
        assertThat(code.write(out, 0, 1)).isFalse();
        assertThat(out.position()).isZero();
        BitReader in = new BitReader(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1});
        assertThat(code.read(in, 0)).isEqualTo(2);
        assertThat(in.position()).isZero();
    }

    @Test
    void shouldRefuseASerialFormCutAnywhere() {
        ContextCounts counts = new ContextCounts(3, 4);
        counts.add(0, 1);
        counts.add(2, 3, 5);
        byte[] serial = serial(counts.code(new int[] {0, 0, 1}, 2, 0));
        for (int length = 0; length < serial.length; length++) {
            byte[] cut = Arrays.copyOf(serial, length);
            assertThatIOException().isThrownBy(() -> read(cut, 3, 4));
        }
    }

    @Test
    void shouldRefuseTablesThatAreNotThere() {
        byte[] serial = {1, 0, 1, 1, 1, 1, 2};
        assertThatIOException().isThrownBy(() -> read(serial, 2, 2)).withMessage("table 1 of 1");
        serial[3] = -1;
        assertThatIOException().isThrownBy(() -> read(serial, 2, 2)).withMessage("table 255 of 1");
        serial[3] = 0;
        assertThatCode(() -> read(serial, 2, 2)).doesNotThrowAnyException();
        serial[0] = 0;
        assertThatIOException().isThrownBy(() -> read(serial, 2, 2));
    }

    @Test
    void shouldRefuseCodesThatAreNotComplete() {
        for (int[] lengths :
                new int[][] {
                    {0, 0, 0},
                    {1, 0, 0},
                    {1, 2, 0},
                    {1, 2, 3},
                    {1, 1, 1},
                    {1, 1, 8},
                    {2, 2, 1, 2},
                    {ALONE, ALONE},
                    {ALONE, 1, 1},
                    {ALONE, 8}
                }) {
            assertThatIOException()
                    .isThrownBy(() -> read(ofLengths(lengths), 1, lengths.length))
                    .withMessageContaining("not complete");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 32, 64, 127, 128, 254})
    void shouldRefuseCodesThatAreTooLong(int length) {
        assertThatIOException()
                .isThrownBy(() -> read(ofLengths(1, 1, length), 1, 3))
                .withMessage("a code of " + length + " bits");
    }

    @Test
    void shouldReadRandomFormsOrRefuseThem() {
        SplittableRandom random = new SplittableRandom(5);
        int taken = 0;
        for (int round = 0; round < 100_000; round++) {
            byte[] serial = new byte[1 + 2 * (2 + 4)];
            for (int i = 0; i < serial.length; i++) {
                boolean isCount = i > 0 && i % 2 == 0 && random.nextInt(50) > 0;
                int number = random.nextInt(20) == 0 ? ALONE : random.nextInt(4);
                serial[i] = (byte) (isCount ? 1 : number);
            }
            try {
                ContextCode code = read(serial, 2, 4);
                taken++;
                for (int context = 0; context < 2; context++) {
                    for (int next = 0; next < 256; next++) {
                        assertThat(ContextCode.symbol(code.coded(next, context))).isBetween(0, 3);
                    }
                }
            } catch (IOException expected) {
                assertThat(expected).hasMessageMatching("table .*|a (prefix )?code .*|runs .*");
            }
        }
        assertThat(taken).isGreaterThan(100);
    }
}
