package io.github.senderwhitelist.filter;

class BlockedFilterTest extends BloomFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.BLOCKED;
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
