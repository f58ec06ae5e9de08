package io.github.senderwhitelist.filter;

class FuseFilterTest extends FilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.FUSE;
    }

    @Override
    int pinnedChecksum() {
        return -500529573;
    }

    @Override
    int pinnedFalsePositives() {
        return 1534;
    }

    @Override
    double bitsPerKey(double p) {
        return Math.ceil(FilterMath.floorBitsPerKey(p)) * 1.16;
    }
}
