package io.github.senderwhitelist.bench;

import com.google.common.math.Quantiles;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The times of one measurement: a row per candidate, a column per round. Candidates take turns
 * within a round, so a ratio within a round compares times that were taken side by side.
 */
final class RoundTimes {
    private final Map<String, double[]> times = new LinkedHashMap<>();
    private final int rounds;

    RoundTimes(int rounds) {
        this.rounds = rounds;
    }

    void put(String name, int round, double nanos) {
        times.computeIfAbsent(name, key -> new double[rounds])[round] = nanos;
    }

    double median(String name) {
        return Quantiles.median().compute(row(name));
    }

    /** Returns a percentile, which may have two decimals. */
    static double percentile(double percent, double... figures) {
        return Quantiles.scale(10_000).index((int) Math.round(percent * 100)).compute(figures);
    }

    /** Returns the ratio of the times of two candidates: the median of the ratios of all rounds. */
    double ratio(String name, String base) {
        double[] upper = row(name);
        double[] lower = row(base);
        double[] ratios = new double[rounds];
        Arrays.setAll(ratios, i -> upper[i] / lower[i]);
        return Quantiles.median().compute(ratios);
    }

    boolean has(String name) {
        return times.containsKey(name);
    }

    private double[] row(String name) {
        double[] row = times.get(name);
        if (row == null) {
            throw new IllegalArgumentException(name + " was not measured");
        }
        return row;
    }

    /** Returns the candidates in the order of a round; each round begins with another one. */
    static <T> List<T> rotated(List<T> candidates, int round) {
        int first = round % candidates.size();
        List<T> order = new ArrayList<>(candidates.subList(first, candidates.size()));
        order.addAll(candidates.subList(0, first));
        return order;
    }

    static void line(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }
}
