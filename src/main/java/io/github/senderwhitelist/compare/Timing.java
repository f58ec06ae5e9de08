package io.github.senderwhitelist.compare;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The timing of sets side by side, in one thread. In each round all sets are queried for the same
 * addresses, in turns; each round has other addresses and begins with another set. The result is
 * the median of the rounds.
 */
final class Timing {
    private static final int ASKED = 1 << 15;
    private static final int WARM_UP_ASKED = 1 << 14;
    private static final int WARM_UP_BATCH = 500;
    private static final int MOST_BATCH = 1 << 13;
    private static final int LEAST_BATCH = 16;

    private final ListedAddresses addresses;
    private final SplittableRandom random;
    private final int rounds;
    private long strangers;
    private long newcomers;

    Timing(ListedAddresses addresses, long seed, int rounds) {
        this.addresses = addresses;
        this.rounds = rounds;
        this.random = new SplittableRandom(seed);
    }

    /** Two times of one set, in nanoseconds per address. */
    record Times(double first, double second) {}

    /** Queries and updates until all code is compiled. */
    void warmUp(List<Candidate> candidates, int n) {
        ask(candidates, n, rounds + rounds / 3, WARM_UP_ASKED);
        update(candidates, rounds + rounds / 3, WARM_UP_BATCH);
    }

    /**
     * Returns the times of an answer for a listed address and for a stranger.
     *
     * @param n the number of addresses that the sets hold
     */
    List<Times> ask(List<Candidate> candidates, int n) {
        return ask(candidates, n, rounds, ASKED);
    }

    private List<Times> ask(List<Candidate> candidates, int n, int rounds, int asked) {
        double[][] listed = new double[candidates.size()][rounds];
        double[][] unlisted = new double[candidates.size()][rounds];
        for (int round = 0; round < rounds; round++) {
            AddressBatch members = AddressBatch.listed(addresses, n, asked, random);
            AddressBatch others = AddressBatch.strangers(addresses, strangers, asked);
            strangers += asked;
            for (int turn = 0; turn < candidates.size(); turn++) {
                int i = (round + turn) % candidates.size();
                listed[i][round] = time(candidates.get(i), members, true);
                unlisted[i][round] = time(candidates.get(i), others, false);
            }
        }
        return medians(listed, unlisted);
    }

    /**
     * Returns the time of an answer. The answers are checked, so no compiler can leave them out.
     */
    private static double time(Candidate candidate, AddressBatch batch, boolean listed) {
        long start = ThreadTime.nanos();
        int count = candidate.count(batch);
        long nanos = ThreadTime.nanos() - start;
        if (listed ? count != batch.count() : count < 0) {
            throw new IllegalStateException(
                    candidate.name()
                            + " denies "
                            + (batch.count() - count)
                            + " addresses that it holds");
        }
        return (double) nanos / batch.count();
    }

    /**
     * Returns the times of an addition and of a removal, NaN for what a set cannot do. Afterwards
     * the sets may hold up to a tenth more addresses.
     */
    List<Times> update(List<Candidate> candidates, int n) {
        return update(candidates, rounds, Math.clamp(n / (10L * rounds), LEAST_BATCH, MOST_BATCH));
    }

    private List<Times> update(List<Candidate> candidates, int rounds, int most) {
        double[][] added = new double[candidates.size()][rounds];
        double[][] removed = new double[candidates.size()][rounds];
        for (int round = 0; round < rounds; round++) {
            AddressBatch batch = AddressBatch.newcomers(addresses, newcomers, most);
            newcomers += most;
            for (int turn = 0; turn < candidates.size(); turn++) {
                int i = (round + turn) % candidates.size();
                Candidate candidate = candidates.get(i);
                int count = candidate.batchSize(most);
                long start = ThreadTime.nanos();
                candidate.add(batch, count);
                long middle = ThreadTime.nanos();
                added[i][round] = count == 0 ? Double.NaN : (double) (middle - start) / count;
                removed[i][round] = Double.NaN;
                if (candidate.removes()) {
                    candidate.remove(batch, count);
                    removed[i][round] = (double) (ThreadTime.nanos() - middle) / count;
                }
            }
        }
        return medians(added, removed);
    }

    private static List<Times> medians(double[][] first, double[][] second) {
        return IntStream.range(0, first.length)
                .mapToObj(
                        i -> new Times(Percentiles.median(first[i]), Percentiles.median(second[i])))
                .toList();
    }
}
