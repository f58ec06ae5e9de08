package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

/** The contract of filters from which hashes can be removed. */
abstract class RemovableFilterContract extends UpdatableFilterContract {

    final RemovableFilter removable(double p, long n) {
        return (RemovableFilter) empty(p, n);
    }

    /**
     * Adds and removes hashes at random, each up to a few times, and compares with a model that
     * counts. About half of the hashes are in the filter at any time.
     */
    final void compareWithModel(RemovableFilter filter, long[] hashes, int steps, int most) {
        int[] counts = new int[hashes.length];
        SplittableRandom random = new SplittableRandom(31);
        for (int step = 0; step < steps; step++) {
            int i = random.nextInt(hashes.length);
            if (counts[i] < most && (counts[i] == 0 || random.nextBoolean())) {
                filter.add(hashes[i]);
                counts[i]++;
            } else {
                assertThat(filter.remove(hashes[i])).isTrue();
                counts[i]--;
            }
            int asked = random.nextInt(hashes.length);
            if (counts[asked] > 0 && !filter.mightContain(hashes[asked])) {
                throw new AssertionError("step " + step + ": hash " + asked + " is denied");
            }
        }
        int wrong = 0;
        int absent = 0;
        for (int i = 0; i < hashes.length; i++) {
            boolean maybe = filter.mightContain(hashes[i]);
            assertThat(maybe || counts[i] == 0).isTrue();
            absent += counts[i] == 0 ? 1 : 0;
            wrong += counts[i] == 0 && maybe ? 1 : 0;
        }
        assertThat(wrong / (double) absent).isLessThan(0.0115);
        for (int i = 0; i < hashes.length; i++) {
            for (; counts[i] > 0; counts[i]--) {
                assertThat(filter.remove(hashes[i])).isTrue();
            }
        }
        assertThat(Arrays.stream(words(filter)).filter(word -> word != 0).count()).isZero();
    }

    @Test
    void shouldAnswerAsTheModelAfterMillionsOfUpdates() {
        int updates = Extent.of(2_000_000, 10_000_000);
        compareWithModel(removable(0.01, 60_000), hashes(32, 60_000), updates, 2);
    }

    @Test
    void shouldForgetWhatWasRemovedAsOftenAsAdded() {
        RemovableFilter filter = removable(0.001, 3000);
        long[] hashes = hashes(33, 1000);
        for (int times = 1; times <= 2; times++) {
            for (long hash : hashes) {
                filter.add(hash);
            }
        }
        for (int times = 1; times <= 2; times++) {
            requireAll(filter, hashes);
            for (long hash : hashes) {
                assertThat(filter.remove(hash)).isTrue();
            }
        }
        assertThat(Arrays.stream(hashes).filter(filter::mightContain).count()).isZero();
        assertThat(words(filter)).containsOnly(0);
    }

    @Test
    void shouldNotRemoveWhatIsCertainlyNotThere() {
        RemovableFilter filter = removable(0.01, 1000);
        assertThat(filter.remove(42)).isFalse();
        for (long hash : hashes(34, 1000)) {
            filter.add(hash);
        }
        long[] before = words(filter);
        long strangers =
                Arrays.stream(hashes(35, 1000)).filter(hash -> !filter.mightContain(hash)).count();
        long removed =
                Arrays.stream(hashes(35, 1000))
                        .filter(hash -> !filter.mightContain(hash) && filter.remove(hash))
                        .count();
        assertThat(strangers).isGreaterThan(900);
        assertThat(removed).isZero();
        assertThat(words(filter)).isEqualTo(before);
    }

    /** A hash added more often than the filter can count stays, however often it is removed. */
    @Test
    void shouldKeepForGoodWhatWasAddedTooOften() {
        RemovableFilter filter = removable(0.01, 1000);
        long[] others = hashes(36, 500);
        for (long hash : others) {
            filter.add(hash);
        }
        for (int i = 0; i < 1000; i++) {
            filter.add(77);
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(filter.remove(77)).isTrue();
        }
        assertThat(filter.mightContain(77)).isTrue();
        requireAll(filter, others);
        for (long hash : others) {
            filter.remove(hash);
        }
        assertThat(filter.mightContain(77)).isTrue();
    }

    /** Fills the filter, then many times removes the oldest hash and adds a new one. */
    @Override
    void update(UpdatableFilter filter, int count) {
        super.update(filter, count);
        SplittableRandom oldest = new SplittableRandom(24);
        SplittableRandom newest = new SplittableRandom(24);
        newest.longs(count).forEach(hash -> {});
        for (int i = 0; i < 20 * count; i++) {
            ((RemovableFilter) filter).remove(oldest.nextLong());
            filter.add(newest.nextLong());
        }
    }
}
