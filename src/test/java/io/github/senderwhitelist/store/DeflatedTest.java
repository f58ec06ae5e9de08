package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

class DeflatedTest {

    private static byte[] read(byte[] serial) throws IOException {
        ByteBuffer plain = Deflated.read(ByteBuffer.wrap(serial).order(Serial.ORDER));
        assertThat(plain.order()).isEqualTo(Serial.ORDER);
        byte[] bytes = new byte[plain.remaining()];
        plain.get(bytes);
        return bytes;
    }

    private static byte[] forged(int length, byte[] zlib) {
        return ByteBuffer.allocate(4 + zlib.length)
                .order(Serial.ORDER)
                .putInt(length)
                .put(zlib)
                .array();
    }

    private static byte[] zlib(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Deflater best = new Deflater(Deflater.BEST_COMPRESSION);
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(out, best)) {
            deflater.write(plain);
        } finally {
            best.end();
        }
        return out.toByteArray();
    }

    @Test
    void shouldGiveBackWhatItTook() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        for (int length : new int[] {0, 1, 100, 65_535, 65_536, 200_000}) {
            byte[] plain = new byte[length];
            assertThat(read(Deflated.of(plain))).isEqualTo(plain);
            random.nextBytes(plain);
            assertThat(read(Deflated.of(plain))).isEqualTo(plain);
        }
    }

    /** A reader would refuse them if they were deflated as far as they can be. */
    @Test
    void shouldGiveBackManyEqualBytes() throws IOException {
        byte[] plain = new byte[20_000_000];
        assertThat(zlib(plain)).hasSizeLessThan(20_500);
        assertThat(read(Deflated.of(plain))).isEqualTo(plain);
    }

    @Test
    void shouldRefuseASerialFormCutAnywhere() {
        byte[] serial = Deflated.of("codes and domains".getBytes(UTF_8));
        for (int length = 0; length < serial.length; length++) {
            byte[] cut = Arrays.copyOf(serial, length);
            assertThatIOException().as("%s bytes", length).isThrownBy(() -> read(cut));
        }
    }

    @Test
    void shouldRefuseAnotherLengthThanWasDeflated() throws IOException {
        byte[] zlib = zlib(new byte[1000]);
        for (int length : new int[] {0, 1, 999, 1001, 65_536, -1, Integer.MIN_VALUE}) {
            assertThatIOException().isThrownBy(() -> read(forged(length, zlib)));
        }
        assertThat(read(forged(1000, zlib))).hasSize(1000);
    }

    @Test
    void shouldRefuseToAllocateMoreThanTheLengthOfTheSerialFormAllows() throws IOException {
        byte[] bomb = zlib(new byte[20_000_000]);
        assertThatIOException()
                .isThrownBy(() -> read(forged(20_000_000, bomb)))
                .withMessage("20000000 bytes deflated to " + bomb.length);
        assertThatIOException()
                .isThrownBy(() -> read(forged(Integer.MAX_VALUE, bomb)))
                .withMessageStartingWith(Integer.MAX_VALUE + " bytes deflated to");
    }

    @Test
    void shouldRefuseWhatWasNotDeflated() {
        byte[] random = new byte[100];
        new SplittableRandom(2).nextBytes(random);
        assertThatIOException().isThrownBy(() -> read(forged(100, random)));
        assertThatIOException().isThrownBy(() -> read(forged(100, new byte[100])));
    }

    /** A preset dictionary, which zlib allows, is not given. */
    @Test
    void shouldRefuseAPresetDictionary() {
        Deflater deflater = new Deflater();
        deflater.setDictionary(new byte[] {1, 2, 3, 4});
        deflater.setInput(new byte[] {1, 2, 3, 4});
        deflater.finish();
        byte[] zlib = new byte[100];
        int length = deflater.deflate(zlib);
        deflater.end();
        byte[] serial = forged(4, Arrays.copyOf(zlib, length));
        assertThatIOException().isThrownBy(() -> read(serial));
    }
}
