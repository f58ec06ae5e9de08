package io.github.senderwhitelist.compare;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Asks sets side by side: they take turns in each round, another one first each time, are asked for
 * other addresses each round, by one thread, and the median of the rounds counts.
 */
final class Rounds {
    private static final int ROUNDS = 31;
    private static final int ASKED = 1 << 15;
    private static final int WARM_UP_ROUNDS = 40;
    private static final int WARM_UP_ASKED = 1 << 14;
    private static final int WARM_UP_BATCH = 500;
    private static final int MOST_BATCH = 1 << 13;
    private static final int LEAST_BATCH = 16;

    private final ListedAddresses addresses;
    private final SplittableRandom random;
    private long strangers;
    private long newcomers;

    Rounds(ListedAddresses addresses, long seed) {
        this.addresses = addresses;
        this.random = new SplittableRandom(seed);
    }

    /** Times of one set. */
    record Times(double first, double second) {}

    /** Asks until all is compiled. */
    void warmUp(List<Candidate> candidates, int n) {
        ask(candidates, n, WARM_UP_ROUNDS, WARM_UP_ASKED);
        update(candidates, WARM_UP_ROUNDS, WARM_UP_BATCH);
    }

    /**
     * The times of an answer for a listed address and for a stranger.
     *
     * @param n how many addresses the sets hold
     */
    List<Times> ask(List<Candidate> candidates, int n) {
        return ask(candidates, n, ROUNDS, ASKED);
    }

    private List<Times> ask(List<Candidate> candidates, int n, int rounds, int asked) {
        double[][] listed = new double[candidates.size()][rounds];
        double[][] unlisted = new double[candidates.size()][rounds];
        for (int round = 0; round < rounds; round++) {
            Questions members = Questions.listed(addresses, n, asked, random);
            Questions others = Questions.strangers(addresses, strangers, asked);
            strangers += asked;
            for (int turn = 0; turn < candidates.size(); turn++) {
                int i = (round + turn) % candidates.size();
                listed[i][round] = time(candidates.get(i), members, true);
                unlisted[i][round] = time(candidates.get(i), others, false);
            }
        }
        return medians(listed, unlisted);
    }

    /** The answers are of use, too, so that no compiler can do without them. */
    private static double time(Candidate candidate, Questions questions, boolean listed) {
        long start = ThreadTime.nanos();
        int count = candidate.count(questions);
        long nanos = ThreadTime.nanos() - start;
        if (listed ? count != questions.count() : count < 0) {
            throw new IllegalStateException(
                    candidate.name()
                            + " denies "
                            + (questions.count() - count)
                            + " addresses that it holds");
        }
        return (double) nanos / questions.count();
    }

    /**
     * The times of an addition and of a removal; NaN for what a set does not do. The sets may hold
     * up to a tenth more addresses afterwards.
     */
    List<Times> update(List<Candidate> candidates, int n) {
        return update(candidates, ROUNDS, Math.clamp(n / (10 * ROUNDS), LEAST_BATCH, MOST_BATCH));
    }

    private List<Times> update(List<Candidate> candidates, int rounds, int most) {
        double[][] added = new double[candidates.size()][rounds];
        double[][] removed = new double[candidates.size()][rounds];
        for (int round = 0; round < rounds; round++) {
            Questions batch = Questions.newcomers(addresses, newcomers, most);
            newcomers += most;
            for (int turn = 0; turn < candidates.size(); turn++) {
                int i = (round + turn) % candidates.size();
                Candidate candidate = candidates.get(i);
                int count = candidate.batch(most);
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
                .mapToObj(i -> new Times(median(first[i]), median(second[i])))
                .toList();
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
