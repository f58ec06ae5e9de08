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
        assertThat(counts.add(bytes, 0, bytes.length, times)).isTrue();
    }

    private static byte[] drained(DomainCounts counts) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        counts.drainTo(new DataOutputStream(out));
        assertThat(counts.size()).isZero();
        return out.toByteArray();
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
}
