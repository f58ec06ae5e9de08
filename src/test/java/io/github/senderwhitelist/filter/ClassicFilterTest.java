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

    @Override
    int pinnedFalsePositivesAtAThousandth() {
        return 939;
    }

    @Override
    String pinnedBits() {
        return "{0, 9, 203, 237, 397, 475, 821, 841, 891, 1015, 1034, 1079, 1178, 1209, 1317, "
                + "1321, 1439, 1444, 1465, 1608, 1633, 1682, 1752, 1827, 1895, 1920, 2038}";
    }
}
