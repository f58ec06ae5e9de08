package io.github.senderwhitelist.tools;

import java.util.Arrays;

/** Figures in order, of which percentiles are read. */
public final class Percentiles {
    private final double[] sorted;

    /**
     * Sorts figures.
     *
     * @param figures at least one
     */
    public Percentiles(double... figures) {
        sorted = figures.clone();
        Arrays.sort(sorted);
    }

    /** Returns the median of figures. */
    public static double median(double... figures) {
        return new Percentiles(figures).at(50);
    }

    /**
     * Returns the figure that this percentage is below; between two figures it is in proportion.
     */
    public double at(double percent) {
        double place = percent / 100 * (sorted.length - 1);
        int below = (int) place;
        int above = (int) Math.ceil(place);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
