package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** The order of keys and the order of their bytes are one. */
class SortKeyTest {

    @Test
    void bytesShouldSortLikeEntries() {
        SplittableRandom random = new SplittableRandom(2);
        int sameSender = 0;
        int same = 0;
        for (int i = 0; i < 300_000; i++) {
            Entry a = randomEntry(random);
            Entry b = randomEntry(random);
            byte[] first = SortKey.of(a.key(), a.to());
            byte[] second = SortKey.of(b.key(), b.to());
            int bytes = Integer.signum(Arrays.compareUnsigned(first, second));
            boolean isSame = a.key().equals(b.key()) && Objects.equals(a.to(), b.to());
            if (Integer.signum(Entry.ORDER.compare(a, b)) != bytes || (bytes == 0) != isSame) {
                throw new AssertionError(a + " and " + b + ": bytes " + bytes);
            }
            assertThat(SortKey.entry(first).withOnly(Rule.LISTS)).isEqualTo(a);
            sameSender += a.key().equals(b.key()) ? 1 : 0;
            same += isSame ? 1 : 0;
        }
        assertThat(sameSender).isGreaterThan(1000);
        assertThat(same).isGreaterThan(100);
    }

    private static Entry randomEntry(SplittableRandom random) {
        Key to = random.nextInt(3) == 0 ? null : randomKey(random);
        return new Entry(randomKey(random), to, List.of(Rule.LISTS));
    }

    private static Key randomKey(SplittableRandom random) {
        return Key.of(
                random(random, random.nextInt(4)).getBytes(UTF_8),
                random(random, 1 + random.nextInt(2)).getBytes(UTF_8));
    }

    private static String random(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append("!.a\u00e9\uffff".charAt(random.nextInt(5)));
        }
        return text.toString();
    }
}
