package io.github.senderwhitelist.filter;

/**
 * The sizes of the rows of a filter that grows. Row i is for 2^i times the keys of the first row.
 * It has k + i positions or bits per fingerprint, so its rate is half that of the row before, and
 * it takes 2^i · (k + i) / k times the bits of the first.
 */
final class GrowthRows {
    private static final int MOST_ROWS = 64;

    private GrowthRows() {}

    /**
     * Returns the bits of each row of a filter of m bits.
     *
     * @throws IllegalArgumentException if no first row leads to m bits in all
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

    /**
     * Returns the limit on rows that these numbers break, in words, or an empty text if there is
     * none.
     *
     * @throws IllegalArgumentException as {@link #of} does
     */
    static String brokenLimit(long m, int k, int rows) {
        if (rows > MOST_ROWS) {
            return "fewer rows";
        }
        of(m, k, rows);
        return "";
    }

    /** Returns the bits of row i. */
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
