package io.github.senderwhitelist.sort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The choice of domains from batches of counts. */
class CommonDomainsTest {
    private static final int MANY = 100_000;

    private static void count(DomainCounts counts, String domain, int times) {
        byte[] bytes = domain.getBytes(US_ASCII);
        assertThat(counts.add(bytes, 0, bytes.length, times)).isEqualTo(DomainCounts.NOT_KEPT);
    }

    private static byte[] drained(DomainCounts counts) throws IOException {
        byte[] batch = drainedTo(counts);
        assertThat(counts.domains().size()).isZero();
        return batch;
    }

    private static List<String> choose(long most, byte[]... batches) throws IOException {
        List<DomainCounts.Reader> readers = new ArrayList<>();
        for (byte[] batch : batches) {
            readers.add(new DomainCounts.Reader(new ByteArrayInputStream(batch)));
        }
        return CommonDomains.choose(readers, most).stream()
                .map(domain -> new String(domain, US_ASCII))
                .toList();
    }

    @Test
    void shouldAddUpWhatBatchesCounted() throws IOException {
        DomainCounts counts = new DomainCounts();
        count(counts, "rare.example", 1);
        count(counts, "b.example", 2);
        count(counts, "c.example", 3);
        byte[] first = drained(counts);
        count(counts, "b.example", 2);
        count(counts, "a.example", 3);
        byte[] second = drained(counts);

        assertThat(choose(10, first, second))
                .containsExactly("b.example", "a.example", "c.example");
        assertThat(choose(2, second, first)).containsExactly("b.example");
    }

    /** So many counts are put together in several ranges of hashes. */
    @Test
    void shouldFindEachOfManyDomainsOnce() throws IOException {
        DomainCounts counts = new DomainCounts();
        for (int i = 0; i < MANY; i++) {
            count(counts, "d" + i + ".example", 1);
        }
        byte[] first = drained(counts);
        for (int i = 0; i < MANY; i += 2) {
            count(counts, "d" + i + ".example", 1 + i % 3);
        }

        List<String> chosen = choose(MANY, first, drained(counts), drained(counts));

        assertThat(chosen).hasSize(MANY / 2).doesNotHaveDuplicates();
        assertThat(chosen.getFirst()).isEqualTo("d10004.example");
    }

    @Test
    void shouldStopCountingAtTheGreatestNumber() throws IOException {
        DomainCounts counts = new DomainCounts();
        count(counts, "b.example", Integer.MAX_VALUE);
        count(counts, "b.example", 2);
        count(counts, "a.example", Integer.MAX_VALUE - 1);

        assertThat(choose(1 << 10, drained(counts))).containsExactly("b.example", "a.example");
    }

    @Test
    void shouldRefuseABatchThatIsCutOff() throws IOException {
        DomainCounts counts = new DomainCounts();
        count(counts, "a.example", 2);
        byte[] whole = drained(counts);

        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> choose(10, cut)).isInstanceOf(EOFException.class);
        }
    }

    /** Whatever the domains are like, there is room again when the counts were written out. */
    @Test
    void shouldKeepNumbersOfTheFirstDomainsAndCountAllOfThem() throws IOException {
        for (int length : new int[] {4, 14, 255}) {
            DomainCounts counts = new DomainCounts(1 << 16, 1000, 0);
            List<byte[]> batches = new ArrayList<>();
            int[] numbers = new int[MANY];
            for (int i = 0; i < 2 * MANY; i++) {
                byte[] domain = "x".repeat(length).getBytes(US_ASCII);
                int number = i % MANY;
                for (int at = 0; at < 4; at++) {
                    domain[at] = (byte) ('a' + number % 20);
                    number /= 20;
                }
                int kept = counts.add(domain, 0, length, 1);
                if (kept == DomainCounts.NO_ROOM) {
                    batches.add(drainedTo(counts));
                    kept = counts.add(domain, 0, length, 1);
                }
                assertThat(kept).isGreaterThanOrEqualTo(DomainCounts.NOT_KEPT);
                if (i < MANY) {
                    numbers[i] = kept;
                } else if (numbers[i - MANY] >= 0) {
                    assertThat(kept).isEqualTo(numbers[i - MANY]);
                }
            }
            batches.add(drainedTo(counts));
            assertThat(numbers[0]).isZero();
            assertThat(numbers[20]).isEqualTo(20);
            assertThat(numbers[MANY - 1]).isEqualTo(DomainCounts.NOT_KEPT);
            assertThat(choose(MANY, batches.toArray(new byte[0][]))).hasSize(MANY);
        }
    }

    private static byte[] drainedTo(DomainCounts counts) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        counts.drainTo(new DataOutputStream(out));
        return out.toByteArray();
    }
}
