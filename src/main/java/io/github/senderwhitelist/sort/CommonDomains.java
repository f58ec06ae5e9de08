package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.sort.DomainCounts.Reader;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The choice of domains for the dictionary: the commonest ones, up to a given number, and none that
 * occurs only once. The choice depends on the counts alone, not on the batches they were written
 * in.
 *
 * <p>Batches are in the order of hashes. The counts of all batches are added up for one range of
 * hashes after the other, in a table that stays in the processor's cache.
 */
final class CommonDomains {
    private static final int LEAST_COUNT = 2;
    private static final int EXACT_COUNTS = 1 << 16;

    /** About how many counts of all batches are in one range. */
    private static final int RANGE = 1 << 14;

    private static final class Counted {
        final byte[] domain;
        final int count;

        Counted(byte[] domain, int count) {
            this.domain = domain;
            this.count = count;
        }
    }

    private final long most;

    /** How many domains have each count. */
    private final long[] histogram = new long[EXACT_COUNTS + 1];

    private final List<Counted> chosen = new ArrayList<>();

    /** The least count of a domain that may be chosen, as far as is known. */
    private int least = LEAST_COUNT;

    private CommonDomains(long most) {
        this.most = most;
    }

    /**
     * Returns at most {@code most} domains, the commonest first; equally common ones are in the
     * order of their bytes.
     *
     * @param batches readers of all batches of counts, each at its beginning
     */
    static List<byte[]> choose(List<Reader> batches, long most) throws IOException {
        CommonDomains domains = new CommonDomains(most);
        long counts = batches.stream().mapToLong(Reader::left).sum();
        long ranges = counts / RANGE + 1;
        DomainCounts table = new DomainCounts();
        for (long range = 1; range <= ranges; range++) {
            long last = Integer.MIN_VALUE + range * (1L << Integer.SIZE) / ranges - 1;
            for (Reader batch : batches) {
                batch.moveTo(table, (int) last);
            }
            table.forEach(domains::offer);
            table.clear();
        }
        domains.prune();
        return domains.sorted();
    }

    private void offer(byte[] text, int from, int to, int count) {
        histogram[Math.min(count, EXACT_COUNTS)]++;
        if (count >= least) {
            if (chosen.size() > most + most / 4) {
                prune();
            }
            chosen.add(new Counted(Arrays.copyOfRange(text, from, to), count));
        }
    }

    /** Removes those that are too rare. More domains can only make more of them too rare. */
    private void prune() {
        long total = histogram[EXACT_COUNTS];
        int lowest = EXACT_COUNTS;
        while (lowest > LEAST_COUNT && total + histogram[lowest - 1] <= most) {
            lowest--;
            total += histogram[lowest];
        }
        least = lowest;
        chosen.removeIf(counted -> counted.count < least);
    }

    private List<byte[]> sorted() {
        chosen.sort(
                (a, b) ->
                        a.count == b.count
                                ? Arrays.compareUnsigned(a.domain, b.domain)
                                : Integer.compare(b.count, a.count));
        return chosen.stream().limit(most).map(counted -> counted.domain).toList();
    }
}
