package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.sort.DomainCounts.Reader;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Chooses the domains for the dictionary: the commonest ones, up to a given number, and none that
 * occurs only once. The choice depends on the counts alone, not on the batches they were written
 * in.
 *
 * <p>The counts are read twice: first to find the lowest count that is still chosen, then to
 * collect the domains.
 */
final class CommonDomains {
    private static final int LEAST_COUNT = 2;
    private static final int EXACT_COUNTS = 1 << 16;

    private final CountsSource source;

    /** Opens counts. */
    @FunctionalInterface
    interface CountsSource {
        /** Returns readers of all batches of counts, each at its beginning. */
        List<Reader> open() throws IOException;
    }

    /** Takes domains, each with how often it occurred. */
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
     * Returns at most so many domains, the commonest first; equally common ones are in the order of
     * their bytes.
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

    /** Returns the lowest count with which at most so many domains are chosen. */
    private static int leastCount(long[] histogram, long most) {
        long total = histogram[EXACT_COUNTS];
        int least = EXACT_COUNTS;
        while (least > LEAST_COUNT && total + histogram[least - 1] <= most) {
            least--;
            total += histogram[least];
        }
        return least;
    }

    /** Merges all batches and hands out each domain once, with its whole count. */
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
