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

    @Override
    int pinnedFalsePositivesAtAThousandth() {
        return 1037;
    }

    @Override
    String pinnedBits() {
        return "{0, 46, 98, 104, 220, 240, 265, 278, 288, 298, 304, 328, 370, 391, 414, "
                + "1699, 1743, 1759, 1769, 1846, 1870, 1944, 2028, 2041}";
    }
}
