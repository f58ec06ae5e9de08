package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.bench.Comparison.Row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The sets that lectures on Bloom filters compare, as a table and as charts. Options: n (10^6),
 * bits (12), rounds (31), charts (target/comparison, the folder for them).
 */
public final class ComparisonBench {
    private static final int LEAST_BITS = 4;
    private static final int MOST_BITS = 16;
    private static final int FIRST_N = 1_000;
    private static final int MOST_OF_RATES = 100_000;
    private static final String FORMAT = "%-12s %9s %12s %10s %17s %7s %9s %7s %7s %7s  %s";

    private ComparisonBench() {}

    /** Runs the comparison, and returns the rows for all n addresses. */
    static List<Row> run(int n, double bits, int rounds, Path folder) throws IOException {
        List<Row> overAddresses = new ArrayList<>();
        for (int some = FIRST_N; some < n; some *= 10) {
            overAddresses.addAll(new Comparison(some, bits, rounds).rows());
        }
        List<Row> table = new Comparison(n, bits, rounds).rows();
        overAddresses.addAll(table);
        List<Row> rates = new ArrayList<>();
        for (int each = LEAST_BITS; each <= MOST_BITS; each++) {
            rates.addAll(new Comparison(Math.min(n, MOST_OF_RATES), each, 1).rates());
        }
        Charts.draw(rates, overAddresses, folder);
        return table;
    }

    private static void print(List<Row> table) {
        RoundTimes.line(
                FORMAT,
                "set",
                "memory",
                "bits/address",
                "predicted",
                "measured",
                "listed",
                "stranger",
                "build",
                "add",
                "remove",
                "with twice the addresses");
        for (Row row : table) {
            boolean exact = row.predicted() == 0;
            RoundTimes.line(
                    FORMAT,
                    row.name(),
                    text("%.2f MB", row.bits() * row.n() / 8e6),
                    text("%.3f", row.bits()),
                    exact ? "exact" : text("%.4f %%", 100 * row.predicted()),
                    exact
                            ? "exact"
                            : text("%.4f", 100 * row.measured())
                                    + text(" ± %.4f %%", 100 * row.margin()),
                    nanos(row.listedNanos()),
                    nanos(row.strangerNanos()),
                    nanos(row.buildNanos()),
                    nanos(row.addNanos()),
                    nanos(row.removeNanos()),
                    row.grown());
        }
    }

    private static String nanos(double nanos) {
        return Double.isNaN(nanos) ? "-" : text("%.1f", nanos);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** Runs the comparison and prints its table. */
    public static void main(String... arguments) throws IOException {
        int n = (int) BenchOptions.number("n", 1_000_000);
        int bits = (int) BenchOptions.number("bits", 12);
        int rounds = (int) BenchOptions.number("rounds", 31);
        String charts = BenchOptions.text("charts");
        Path folder = Path.of(charts.isEmpty() ? "target/comparison" : charts);
        List<Row> table = run(n, bits, rounds, folder);
        RoundTimes.line(
                "%d addresses, %d bits per address where that can be chosen, %d rounds; times in"
                        + " nanoseconds of one thread",
                n, bits, rounds);
        print(table);
        RoundTimes.line("charts are in %s", folder);
    }
}
