package io.github.senderwhitelist.filter;

class BlockedFilterTest extends BloomFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.BLOCKED;
    }

    @Override
    int pinnedChecksum() {
        return -476691215;
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
        return 1928;
    }

    @Override
    int pinnedFalsePositivesAtAThousandth() {
        return 1045;
    }

    @Override
    String pinnedBits() {
        return "{78, 83, 150, 153, 172, 199, 257, 324, 343, 357, 361, 369, 374, 376, 387, "
                + "389, 413, 1579, 1580, 1610, 1644, 1727, 1840, 1920, 1988, 2012}";
    }
}
