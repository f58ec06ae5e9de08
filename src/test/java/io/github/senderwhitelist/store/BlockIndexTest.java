package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.SortKey;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

class BlockIndexTest {
    private static final byte[] BLOCK = {1, 2, 3};

    /** The CRC-32C of the block. */
    private static final String CRC = "1ef230f1";

    private static byte[] serial(Iterable<String> separators) {
        BlockIndex.Writer writer = new BlockIndex.Writer();
        for (String separator : separators) {
            writer.separator(separator.getBytes(ISO_8859_1));
            writer.append(BLOCK);
        }
        return writer.serial();
    }

    private static ByteBuffer buffer(byte[] serial) {
        return ByteBuffer.wrap(serial).order(Serial.ORDER);
    }

    @Test
    void shouldKeepItsFormat() {
        String thirty = "0123456789".repeat(3);
        byte[] serial = serial(List.of("", "a", "ab", "b", thirty, thirty + "abc", thirty + "abd"));
        assertThat(HexFormat.of().formatHex(serial))
                .isEqualTo(
                        (CRC + "0000")
                                + (CRC + "2000" + "61")
                                + (CRC + "2100" + "62")
                                + (CRC + "2000" + "62")
                                + (CRC + "c003" + "30313233343536373839".repeat(3))
                                + (CRC + "7e00" + "616263")
                                + (CRC + "5f00" + "6264"));
    }

    @Test
    void shouldFindTheLastSeparatorThatIsNotGreater() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        TreeSet<String> separators = new TreeSet<>();
        separators.add("");
        while (separators.size() < 3000) {
            separators.add(text(random));
        }
        BlockIndex index = BlockIndex.read(buffer(serial(separators)), separators.size());
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
    void shouldRefuseOneThatEndsEarlyOrHasFewerBlocks() {
        byte[] serial = serial(List.of("", "ab"));
        assertThat(serial).hasSize(14);
        for (int length = 0; length < serial.length; length++) {
            ByteBuffer cut = buffer(serial).slice(0, length).order(Serial.ORDER);
            assertThatThrownBy(() -> BlockIndex.read(cut, 2)).isInstanceOf(IOException.class);
        }
        for (long blocks : new long[] {-1, 4, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> BlockIndex.read(buffer(serial), blocks))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldRefuseASeparatorThatSharesMoreThanThereIsOrIsTooLong() {
        for (String forged :
                List.of(
                        CRC + "0100",
                        CRC + "2000" + "61" + CRC + "0200",
                        CRC + "ff7f" + "61".repeat(1023))) {
            ByteBuffer serial = buffer(HexFormat.of().parseHex(forged));
            int blocks = forged.startsWith(CRC + "2000") ? 2 : 1;
            assertThatThrownBy(() -> BlockIndex.read(serial, blocks))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("wrong separator");
        }
    }
}
