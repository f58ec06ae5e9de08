package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** The order of keys and the order of their bytes are one. */
class SortKeyTest {

    @Test
    void shouldSortBytesLikeKeys() {
        SplittableRandom random = new SplittableRandom(1);
        int equal = 0;
        for (int i = 0; i < 300_000; i++) {
            Key a = randomKey(random);
            Key b = randomKey(random);
            int order = Integer.signum(a.compareTo(b));
            int bytes = Integer.signum(Arrays.compareUnsigned(SortKey.of(a), SortKey.of(b)));
            if (order != bytes || (order == 0) != a.equals(b)) {
                throw new AssertionError(a + " and " + b + ": " + order + ", bytes " + bytes);
            }
            if (order == 0) {
                equal++;
                assertThat(a).hasSameHashCodeAs(b);
            }
        }
        assertThat(equal).isGreaterThan(1000);
    }

    @Test
    void shouldSortDomainEntriesFirstAndAShorterLocalPartBeforeALonger() {
        assertThat(key("", "z.org")).isLessThan(key("!", "a.org"));
        assertThat(key("ab", "z.org")).isLessThan(key("ab!", "a.org"));
        assertThat(key("z", "a.org")).isLessThan(key("\u00e9", "a.org"));
        assertThat(key("a", "-.org")).isLessThan(key("a", ".org"));
    }

    @Test
    void shouldHaveAKindOfRecipientsForEachKindOfKey() {
        assertThat(RecipientKind.of(key("a", "b.org"))).isEqualTo(RecipientKind.ADDRESS);
        assertThat(RecipientKind.of(key("", "b.org"))).isEqualTo(RecipientKind.DOMAIN);
        assertThat(RecipientKind.of(key("", ".b.org"))).isEqualTo(RecipientKind.SUBDOMAINS);
    }

    @Test
    void shouldSortBytesLikeEntries() {
        SplittableRandom random = new SplittableRandom(2);
        int sameSender = 0;
        for (int i = 0; i < 300_000; i++) {
            Entry a = randomEntry(random);
            Entry b = randomEntry(random);
            byte[] first = SortKey.of(a.key(), a.to());
            byte[] second = SortKey.of(b.key(), b.to());
            int bytes = Integer.signum(Arrays.compareUnsigned(first, second));
            if (Integer.signum(Entry.ORDER.compare(a, b)) != bytes) {
                throw new AssertionError(a + " and " + b + ": bytes " + bytes);
            }
            assertThat(SortKey.entry(first, 0, first.length, Rule.LISTS)).isEqualTo(a);
            sameSender += a.key().equals(b.key()) ? 1 : 0;
        }
        assertThat(sameSender).isGreaterThan(1000);
    }

    private static Entry randomEntry(SplittableRandom random) {
        Key to = random.nextInt(3) == 0 ? null : randomKey(random);
        return new Entry(randomKey(random), to, List.of(Rule.LISTS));
    }

    private static Key randomKey(SplittableRandom random) {
        return key(random(random, random.nextInt(4)), random(random, 1 + random.nextInt(2)));
    }

    private static String random(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append("!.a\u00e9\uffff".charAt(random.nextInt(5)));
        }
        return text.toString();
    }

    private static Key key(String local, String domain) {
        return Key.of(local.getBytes(UTF_8), domain.getBytes(UTF_8));
    }
}
