package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.io.IOException;

class FuseFilterTest extends FilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.FUSE;
    }

    @Override
    int pinnedChecksum() {
        return 1624703187;
    }

    @Override
    int pinnedFalsePositives() {
        return 1572;
    }

    /** A fuse filter is one array of bytes, so it has at most 2^34 bits. */
    @Test
    void shouldRefuseMoreBitsThanItsArrayHolds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilterSize.ofRate(1e-5).shape(kind(), 1_000_000_000))
                .withMessageContainingAll("fuse", "allowed: up to 17179860984 bits");
    }

    /** For some numbers of keys, rounding made room for segments that then left too little. */
    @Test
    void shouldHaveASolutionForEveryNumberOfKeys() throws IOException {
        for (int k : new int[] {1, 4, 7, 10, 16}) {
            for (int n = 700; n < 11_000; n += n < 3_000 ? 20 : 100) {
                long[] hashes = hashes(n, n);
                requireAll(
                        filled(FilterSize.ofRate(Math.pow(2, -k)).shape(kind(), n), hashes),
                        hashes);
            }
        }
    }

    @Override
    double bitsPerKey(double p) {
        return Math.ceil(FilterMath.floorBitsPerKey(p)) * 1.16;
    }
}
