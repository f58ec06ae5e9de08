package io.github.senderwhitelist.filter;

/**
 * The sizes of the rows of a filter that grows: row i is for 2^i times the keys of the first, and
 * has k + i positions or bits of a fingerprint, so that its rate is half of the rate of the row
 * before. So it has 2^i · (k + i) / k times the bits.
 */
final class GrowthRows {
    private GrowthRows() {}

    /**
     * The bits of each row of a filter of m bits.
     *
     * @throws IllegalArgumentException when no first row makes m bits in all
     */
    static long[] of(long m, int k, int rows) {
        long low = 1;
        long high = m / FilterShape.STEP;
        while (low < high) {
            long middle = (low + high) / 2;
            if (total(middle * FilterShape.STEP, k, rows) < m) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        long first = low * FilterShape.STEP;
        if (total(first, k, rows) != m) {
            throw new IllegalArgumentException(
                    m + " bits are no " + rows + " rows; allowed: such as growth makes");
        }
        long[] sizes = new long[rows];
        for (int i = 0; i < rows; i++) {
            sizes[i] = row(first, k, i);
        }
        return sizes;
    }

    /** The bits of row i. */
    static long row(long first, int k, int i) {
        return FilterShape.roundUp((double) first * (k + i) / k * Math.pow(2, i));
    }

    private static double total(long first, int k, int rows) {
        double total = 0;
        for (int i = 0; i < rows; i++) {
            total += row(first, k, i);
        }
        return total;
    }
}
