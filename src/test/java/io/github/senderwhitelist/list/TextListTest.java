package io.github.senderwhitelist.list;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.tools.AllocatedBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Whole text lists: encodings, line ends, sizes, and how many bad lines are too many. */
class TextListTest {
    private final List<String> entries = new ArrayList<>();

    static List<byte[]> sameList() throws IOException {
        String plain = "# mine\nalice@example.com\n\n@example.org # all\n";
        return List.of(
                bytes(plain),
                bytes(plain.strip()),
                bytes(plain.replace("\n", "\r\n")),
                bytes("\ufeff" + plain),
                bytes("\ufeff# mine\n\ufeffalice@example.com\n\ufeff\n\ufeff@example.org\u00a0\r"),
                gzip(plain),
                gzip("\ufeff" + plain),
                concat(gzip(plain.substring(0, 20)), gzip(plain.substring(20))));
    }

    @ParameterizedTest
    @MethodSource("sameList")
    void listShouldBeTheSameInEveryPackingAndByteByByte(byte[] list) throws IOException {
        assertThat(read(list)).isEqualTo(new TextList.Summary(4, 2, 0, List.of()));
        assertThat(read(new Trickle(list)).lines()).isEqualTo(4);
        assertThat(entries)
                .containsExactly(
                        "alice@example.com", "@example.org", "alice@example.com", "@example.org");
    }

    @ParameterizedTest
    @CsvSource({
        // 1 % and 1.003 % of the lines are bad
        "396, 4, true",
        "395, 4, false",
        "9, 1, true",
        "1, 3, true",
        "2, 4, false",
        "495, 5, true",
        "494, 5, false",
        "0, 1, false",
        "0, 4, false",
        "1, 0, true"
    })
    void listShouldBeRefusedWhenMoreThanThreeAndOnePercentAreBad(
            int good, int bad, boolean accepted) throws IOException {
        // Blank lines and comments do not count as good.
        byte[] list =
                bytes(
                        (lines(good) + "nonsense\n".repeat(bad))
                                + ("\n".repeat(500) + "# x\n".repeat(500)));
        if (accepted) {
            assertThat(read(list))
                    .extracting(TextList.Summary::entries, TextList.Summary::badLines)
                    .containsExactly((long) good, (long) bad);
        } else {
            assertThatThrownBy(() -> read(list))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageContainingAll(
                            "list.txt",
                            bad + " of " + (good + bad),
                            "1 %",
                            "list.txt:" + (good + 1) + ": no '@' in 'nonsense'");
        }
    }

    /** Tapes and some programs fill the last block with zeros, which gzip passes over, too. */
    @Test
    void packedListShouldBeReadWhenZerosFollowAndNothingElse() throws IOException {
        byte[] first = gzip(lines(100));
        byte[] both = concat(first, gzip(lines(50)));
        for (int zeros : new int[] {1, 7, 8, 9, 18, 26, 27, 512, 200_000}) {
            assertThat(read(concat(both, new byte[zeros])).entries())
                    .as("%d", zeros)
                    .isEqualTo(150);
            for (int at : new int[] {0, zeros / 2, zeros - 1}) {
                byte[] garbage = new byte[zeros];
                garbage[at] = 'x';
                assertRefused(
                        at + " of " + zeros,
                        concat(both, garbage),
                        "damaged gzip data (something that is not gzip)");
            }
        }
        assertRefused("zeros between", concat(first, new byte[9], first), "damaged gzip data (");
    }

    /**
     * A second member whose header is wrong or cut must not be taken for the end of the list. Cut
     * anywhere it is as damaged as {@code gzip -t} finds it, and so it is with any bit flipped.
     */
    @Test
    void packedListShouldBeRefusedWhenItIsCutOrDamagedAnywhere() throws IOException {
        byte[] one = gzip(lines(3));
        byte[] both = concat(one, one);
        assertThat(read(both).entries()).isEqualTo(6);
        for (int cut = 2; cut < both.length; cut++) {
            if (cut != one.length) {
                assertRefused(
                        "cut " + cut,
                        Arrays.copyOf(both, cut),
                        cut < one.length ? "damaged gzip data (cut off)" : "damaged gzip data (");
            }
        }
        for (int bit = 16; bit < 8 * both.length; bit++) {
            byte[] flipped = both.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            int at = bit / 8 % one.length;
            // Bit 0 of the flags says that it is text, and bits 5 to 7 say nothing. Nor do the
            // time, what made it, where, and the end of the last byte of the data.
            boolean means = at != 3 || (bit % 8 > 0 && bit % 8 < 5);
            if (means && (at < 4 || at >= 10) && at != one.length - 9) {
                assertRefused("bit " + bit, flipped, "refused");
            }
        }
    }

    /**
     * Members follow each other at every place of the buffer, also where a pipe gives bytes singly.
     */
    @Test
    void thousandsOfMembersAndEmptyOnesShouldBeRead() throws IOException {
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        for (int i = 0; i < 20_000; i++) {
            many.writeBytes(gzip(i % 100 == 0 ? lines(1) : ""));
        }
        assertThat(read(many.toByteArray()).entries()).isEqualTo(200);
        assertThat(read(new Trickle(many.toByteArray())).entries()).isEqualTo(200);
    }

    /** What unpacks to a thousand times its size takes no more memory than a short list. */
    @Test
    void endlessLineShouldBeRefusedInBoundedMemoryAlsoPacked() throws IOException {
        long length = 100L << 20;
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            new Endless(length).transferTo(out);
        }
        for (InputStream in :
                List.of(new Endless(length), new ByteArrayInputStream(packed.toByteArray()))) {
            long before = AllocatedBytes.now();
            assertThatThrownBy(() -> read(in))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageContaining("list.txt:1: a line of more than 8192 bytes");
            assertThat(AllocatedBytes.now() - before).isLessThan(4L << 20);
        }
    }

    @Test
    void latin1LineShouldBeBadAndSayHowToConvert() throws IOException {
        String latin1 = "j\u00fcrgen@e.org\n";
        TextList.Summary summary =
                read(concat(bytes(lines(99)), latin1.getBytes(ISO_8859_1), bytes(latin1)));
        assertThat(summary.complaints()).hasSize(1);
        assertThat(summary.complaints().get(0)).startsWith("list.txt:100: ").contains("iconv");
        assertThat(entries).hasSize(100).endsWith("j\u00fcrgen@e.org");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "x-UTF-16LE-BOM"})
    void utf16ShouldBeRefused(String charset) {
        String mark = charset.equals("UTF-16LE") ? "\ufeff" : "";
        assertRefused(
                charset,
                (mark + lines(99)).getBytes(Charset.forName(charset)),
                "list.txt:1: binary data (a zero byte)");
        assertThat(entries).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 10_000})
    void binaryDataShouldBeRefusedAndSayWhere(int before) {
        String list = lines(before) + "#".repeat(10 * before) + "\n# \0\n" + lines(9);
        assertRefused(
                "zero", bytes(list), "list.txt:" + (before + 2) + ": binary data (a zero byte)");
    }

    private void assertRefused(String what, byte[] list, String message) {
        assertThatThrownBy(() -> read(list))
                .as(what)
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"8191, 0", "8192, 0", "8193, 1", "65535, 1", "65536, 1", "65537, 1", "9000000, 1"})
    void lineShouldBeBadWhenItIsLongerThanTheLimit(int length, int bad) throws IOException {
        for (String fill : List.of("#", "x@e.org" + " ".repeat(9000), "\r")) {
            String line = fill.repeat(length / fill.length() + 1).substring(0, length);
            TextList.Summary summary = read((lines(99) + line + "\n" + lines(1)).getBytes(UTF_8));
            assertThat(summary.badLines()).isEqualTo(bad);
            assertThat(summary.lines()).isEqualTo(101);
            assertThat(entries).endsWith("user0@example.com");
            assertThat(summary.complaints())
                    .allMatch("list.txt:100: a line of more than 8192 bytes"::equals);
        }
    }

    private TextList.Summary read(byte[] list) throws IOException {
        return read(new ByteArrayInputStream(list));
    }

    private TextList.Summary read(InputStream list) throws IOException {
        return TextList.read(
                list,
                "list.txt",
                (bytes, from, length, rules) -> {
                    Rule rule = RulesCodec.decode(rules, 0).getFirst();
                    byte[] key = Arrays.copyOfRange(bytes, from, from + length);
                    entries.add(SortKey.entry(key).withOnly(rule).toString());
                });
    }

    private static String lines(int count) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append("user").append(i).append("@example.com\n");
        }
        return lines.toString();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] gzip(String plain) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes(plain));
        }
        return packed.toByteArray();
    }

    /** A line of this many letters without an end. */
    private static final class Endless extends InputStream {
        private long left;

        Endless(long length) {
            this.left = length;
        }

        @Override
        public int read() {
            return left-- > 0 ? 'a' : -1;
        }

        @Override
        public int read(byte[] bytes, int from, int length) {
            int count = (int) Math.min(length, left);
            Arrays.fill(bytes, from, from + count, (byte) 'a');
            left -= count;
            return count == 0 ? -1 : count;
        }
    }

    /** Gives one byte at a time and says that no more are available, as a pipe may. */
    private static final class Trickle extends InputStream {
        private final byte[] bytes;
        private int next;

        Trickle(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() {
            return next < bytes.length ? bytes[next++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return super.read(into, offset, Math.min(length, 1));
        }
    }
}
