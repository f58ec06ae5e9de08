package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

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

    @Override
    double bitsPerKey(double p) {
        return Math.ceil(FilterMath.floorBitsPerKey(p)) * 1.16;
    }
}
