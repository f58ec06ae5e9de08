package io.github.senderwhitelist.filter;

class ClassicFilterTest extends BloomFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.CLASSIC;
    }

    @Override
    int pinnedChecksum() {
        return 2053287101;
    }

    @Override
    double bitsPerKey(double p) {
        return -Math.log(p) / (Math.log(2) * Math.log(2));
    }

    @Override
    int pinnedFalsePositives() {
        return 1953;
    }
}
