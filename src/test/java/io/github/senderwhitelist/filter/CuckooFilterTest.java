package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

class CuckooFilterTest extends RemovableFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.CUCKOO;
    }

    @Override
    int pinnedChecksum() {
        return -912262671;
    }

    @Override
    int pinnedFalsePositives() {
        return 5138;
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 12, 16, 17, 21})
    void shouldKeepEveryEntryAtNinetyFivePercentLoad(int k) {
        FilterShape shape = new FilterShape(kind(), FilterShape.roundUp(400_000.0 * k), k);
        int slots = (int) (shape.m() / k / 4 * 4);
        UpdatableFilter filter = (UpdatableFilter) shape.create();
        long[] hashes = hashes(61, (int) (0.95 * slots));
        for (long hash : hashes) {
            filter.add(hash);
        }
        requireAll(filter, hashes);
        assertThat(filter.shape()).isEqualTo(shape);
    }

    /** With more keys than planned an insertion finds no room and adds a row; nothing is lost. */
    @Test
    void shouldGrowWhenItIsFull() {
        UpdatableFilter filter = empty(0.01, 2000);
        long[] hashes = hashes(62, 60_000);
        for (int i = 0; i < hashes.length; i++) {
            filter.add(hashes[i]);
            if (i % 1000 == 0) {
                requireAll(filter, Arrays.copyOf(hashes, i + 1));
            }
        }
        requireAll(filter, hashes);
        FilterShape shape = filter.shape();
        assertThat(shape.rows()).isEqualTo(5);
        assertThat(shape.planned()).isEqualTo(empty(0.01, 2000).shape());
        double measured = positives(filter, 1_000_000, 63) / 1e6;
        // Each row has half the rate of the one before.
        assertThat(measured).isLessThan(0.02).isCloseTo(shape.rate(60_000), within(0.001));
    }

    /** Uses fingerprints so short that many hashes have the same ones, in rows old and new. */
    @Test
    void shouldDenyNothingWhileItGrowsAndForgetsWithShortFingerprints() {
        for (int seed = 0; seed < 20; seed++) {
            RemovableFilter filter = (RemovableFilter) new FilterShape(kind(), 512, 7).create();
            SplittableRandom random = new SplittableRandom(seed);
            List<Long> there = new ArrayList<>();
            for (int step = 0; step < 5000; step++) {
                int most = step < 3000 ? 600 : 60;
                if (there.isEmpty() || (there.size() < most && random.nextInt(5) > 1)) {
                    there.add(random.nextLong());
                    filter.add(there.getLast());
                } else {
                    int i = random.nextInt(there.size());
                    assertThat(filter.remove(there.get(i))).isTrue();
                    there.set(i, there.getLast());
                    there.removeLast();
                }
                for (int i = step % 7; i < there.size(); i += 7) {
                    assertThat(filter.mightContain(there.get(i))).isTrue();
                }
            }
            assertThat(filter.shape().rows()).isGreaterThan(2);
            requireAll(filter, there.stream().mapToLong(hash -> hash).toArray());
        }
    }

    /** A hash that finds no place is reported, and no other hash is lost. */
    @Test
    void shouldReportThatItCannotGrow() {
        RemovableFilter filter = (RemovableFilter) new FilterShape(kind(), 512, 27).create();
        long[] hashes = hashes(64, 2000);
        int[] added = {0};
        assertThatThrownBy(
                        () -> {
                            for (long hash : hashes) {
                                filter.add(hash);
                                added[0]++;
                            }
                        })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot grow");
        assertThat(added[0]).isGreaterThan(300);
        requireAll(filter, Arrays.copyOf(hashes, added[0]));
        assertThat(filter.mightContain(hashes[added[0]])).isFalse();
    }

    /** A stranger is compared with eight slots, of which 95 % are taken. */
    @Override
    double bitsPerKey(double p) {
        return Math.ceil(FilterMath.floorBitsPerKey(p / 8 / 0.95)) / 0.95;
    }
}
