package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountingFilterTest extends RemovableFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.COUNTING;
    }

    @Override
    int pinnedChecksum() {
        return -1739778430;
    }

    @Override
    int pinnedFalsePositives() {
        return 14789;
    }

    /** After removals, bits and counters are those of a filter that got only what is left. */
    @Test
    void shouldBeAsIfWhatWasRemovedHadNeverBeen() {
        RemovableFilter filter = removable(0.01, 2000);
        long[] hashes = hashes(41, 2000);
        for (long hash : hashes) {
            filter.add(hash);
        }
        for (int i = 0; i < 1500; i++) {
            filter.remove(hashes[i]);
        }
        RemovableFilter fresh = removable(0.01, 2000);
        for (int i = hashes.length - 1; i >= 1500; i--) {
            fresh.add(hashes[i]);
        }
        assertThat(words(filter)).isEqualTo(words(fresh));
    }

    /** Counters count up to fourteen exactly; at fifteen they stay. */
    @Test
    void shouldCountToFourteen() {
        for (int times = 1; times <= 16; times++) {
            RemovableFilter filter = removable(0.01, 100);
            for (int i = 0; i < times; i++) {
                filter.add(5);
            }
            for (int i = 0; i < times; i++) {
                assertThat(filter.mightContain(5)).isTrue();
                filter.remove(5);
            }
            assertThat(filter.mightContain(5)).isEqualTo(times >= CountingFilter.MAX_COUNT);
        }
    }

    /** A block with more additions than its counters have room for keeps all its bits. */
    @Test
    void shouldFreezeABlockThatIsTooFull() {
        RemovableFilter filter =
                (RemovableFilter) new FilterShape(FilterKind.COUNTING, 1024, 5).create();
        long[] hashes = hashes(42, 200);
        for (long hash : hashes) {
            filter.add(hash);
        }
        long[] before = words(filter);
        for (long hash : hashes) {
            assertThat(filter.remove(hash)).isTrue();
        }
        requireAll(filter, hashes);
        assertThat(words(filter)).isEqualTo(before);
    }

    @Test
    void shouldTakeLessThanFourTimesTheMemoryOfAClassicFilter() {
        for (double p : new double[] {0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6}) {
            FilterSize size = FilterSize.ofRate(p);
            assertThat(size.shape(FilterKind.COUNTING, 1_000_000).m())
                    .isLessThan(4 * size.shape(FilterKind.CLASSIC, 1_000_000).m());
        }
    }

    /** The blocks need more bits because k is limited to what the counters have room for. */
    @Override
    double bitsPerKey(double p) {
        return switch (Double.toString(p)) {
            case "0.1" -> 9.66;
            case "0.01" -> 20.2;
            case "0.001" -> 31.9;
            default -> 59.7;
        };
    }
}
