package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.sort.DomainCounts.Reader;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Chooses the domains worth a place in the dictionary: the commonest, but no more than a given
 * number, and none that occurs once. The choice depends on the counts alone, not on how they were
 * divided while they were made.
 *
 * <p>The counts are gone through twice: once to find the least count that still fits, once to
 * collect.
 */
final class CommonDomains {
    private static final int LEAST_COUNT = 2;
    private static final int EXACT_COUNTS = 1 << 16;

    private final CountsSource source;

    /** Opens all counts anew. */
    @FunctionalInterface
    interface CountsSource {
        List<Reader> open() throws IOException;
    }

    /** Takes a domain and how often it occurred. */
    @FunctionalInterface
    private interface Visitor {
        void visit(byte[] domain, long count);
    }

    private static final class Counted {
        final byte[] domain;
        final long count;

        Counted(byte[] domain, long count) {
            this.domain = domain;
            this.count = count;
        }
    }

    CommonDomains(CountsSource source) {
        this.source = source;
    }

    /**
     * At most that many domains, the commonest first, equally common ones in the order of their
     * bytes.
     */
    List<byte[]> choose(long most) throws IOException {
        long[] histogram = new long[EXACT_COUNTS + 1];
        forEach((domain, count) -> histogram[(int) Math.min(count, EXACT_COUNTS)]++);
        int least = leastCount(histogram, most);
        List<Counted> chosen = new ArrayList<>();
        forEach(
                (domain, count) -> {
                    if (count >= least && chosen.size() < most) {
                        chosen.add(new Counted(domain, count));
                    }
                });
        chosen.sort(
                (a, b) ->
                        a.count == b.count
                                ? Arrays.compareUnsigned(a.domain, b.domain)
                                : Long.compare(b.count, a.count));
        return chosen.stream().map(counted -> counted.domain).toList();
    }

    private static int leastCount(long[] histogram, long most) {
        long total = histogram[EXACT_COUNTS];
        int least = EXACT_COUNTS;
        while (least > LEAST_COUNT && total + histogram[least - 1] <= most) {
            least--;
            total += histogram[least];
        }
        return least;
    }

    private void forEach(Visitor visitor) throws IOException {
        PriorityQueue<Reader> readers =
                new PriorityQueue<>((a, b) -> Arrays.compareUnsigned(a.domain, b.domain));
        for (Reader reader : source.open()) {
            if (reader.next()) {
                readers.add(reader);
            }
        }
        while (!readers.isEmpty()) {
            byte[] domain = readers.element().domain;
            long count = 0;
            while (!readers.isEmpty() && Arrays.equals(readers.element().domain, domain)) {
                Reader reader = readers.remove();
                count += reader.count;
                if (reader.next()) {
                    readers.add(reader);
                }
            }
            visitor.visit(domain, count);
        }
    }
}
