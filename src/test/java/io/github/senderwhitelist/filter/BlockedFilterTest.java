package io.github.senderwhitelist.filter;

class BlockedFilterTest extends BloomFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.BLOCKED;
    }

    @Override
    int pinnedChecksum() {
        return -1822779071;
    }

    @Override
    double bitsPerKey(double p) {
        return switch (Double.toString(p)) {
            case "0.1" -> 4.83;
            case "0.01" -> 9.9;
            case "0.001" -> 15.5;
            default -> 29.5;
        };
    }

    @Override
    int pinnedFalsePositives() {
        return 2044;
    }
}
