package io.github.senderwhitelist.filter;

class BlockedFilterTest extends BloomFilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.BLOCKED;
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
