package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ScalableFilterTest extends UpdatableFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.SCALABLE;
    }

    @Override
    int pinnedChecksum() {
        return 941093774;
    }

    @Override
    int pinnedFalsePositives() {
        return 1954;
    }

    /** Adds a hundred times as many keys as planned and tests the rate on the way. */
    @Test
    void shouldKeepItsRateHoweverFarItOutgrowsThePlan() {
        double p = 0.01;
        UpdatableFilter filter = empty(p, 3000);
        long[] hashes = hashes(51, 300_000);
        for (int i = 0; i < hashes.length; i++) {
            filter.add(hashes[i]);
            if ((i + 1) % 30_000 == 0) {
                FilterShape shape = filter.shape();
                double measured = positives(filter, 400_000, i) / 400_000.0;
                assertThat(measured).isLessThan(p);
                assertThat(shape.rate(i + 1)).isLessThan(p).isCloseTo(measured, within(0.0008));
                assertThat(shape.planned()).isEqualTo(empty(p, 3000).shape());
            }
        }
        requireAll(filter, hashes);
        assertThat(filter.shape().rows()).isEqualTo(7);
    }

    /** The rate is kept even if all rows that can be made are full. */
    @Test
    void shouldKeepAnyRateThatCanBeAskedFor() {
        for (double p : new double[] {0.5, 0.1, 0.03, 0.001, 1e-5, 1e-7}) {
            FilterShape shape = FilterSize.ofRate(p).shape(kind(), 100);
            long m = 0;
            int rows = 0;
            while (m + GrowthRows.row(shape.m(), shape.k(), rows) < FilterShape.MAX_M) {
                m += GrowthRows.row(shape.m(), shape.k(), rows++);
            }
            double keys = 0;
            for (int i = 0; i < rows; i++) {
                double bits = (double) GrowthRows.row(shape.m(), shape.k(), i);
                keys += bits * Math.log(2) / Math.min(31, shape.k() + i);
            }
            FilterShape all = new FilterShape(kind(), m, shape.k(), rows);
            assertThat(rows).isGreaterThan(20);
            assertThat(all.rate((long) keys)).isLessThanOrEqualTo(p);
        }
    }

    /** The first row has half the wanted rate, so it needs one position more. */
    @Override
    double bitsPerKey(double p) {
        return (Math.ceil(FilterMath.floorBitsPerKey(p)) + 1) / Math.log(2);
    }
}
