package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Json;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.compare.Rate;
import io.github.senderwhitelist.compare.RatePoint;
import io.github.senderwhitelist.compare.Row;
import io.github.senderwhitelist.compare.Row.Growth;
import io.github.senderwhitelist.compare.Row.More;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Help.Ansi.Style;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The results of {@code compare}, as a table or as JSON. */
final class CompareReport {
    private static final String ROW =
            "%-12s %10s %12s %3s %11s %20s %8s %8s %8s %8s %8s %11s %11s %20s%n";

    private final Map<String, Object> about = new LinkedHashMap<>();
    private final List<Row> table;

    /**
     * Makes a report.
     *
     * @param list where the addresses come from
     * @param size the requested size of the filters
     * @param table the results, one row for each kind
     */
    CompareReport(String list, String size, long seed, List<Row> table) {
        this.table = table;
        about.put("list", list);
        about.put("addresses", table.getFirst().addresses());
        about.put("size", size);
        about.put("seed", seed);
        about.put("java", Runtime.version().toString());
        about.put("architecture", System.getProperty("os.arch"));
        about.put("processors", Runtime.getRuntime().availableProcessors());
    }

    void print(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%s addresses (%s), %s, seed %s; Java %s on %s processors (%s)%n",
                about.get("addresses"),
                Text.escaped(String.valueOf(about.get("list"))),
                about.get("size"),
                about.get("seed"),
                about.get("java"),
                about.get("processors"),
                about.get("architecture"));
        out.printf(
                "times in ns: of an answer, the address's hash included, for a listed address and"
                        + " a stranger; of building, per address; of adding and removing one%n"
                        + "false-positive rate: predicted; measured on strangers, and how far the"
                        + " true one may be from that (95 %%); at 2n: when as many addresses again"
                        + " were added%n%n");
        out.print(
                Terminal.styled(
                        Terminal.OUTPUT,
                        Style.bold,
                        String.format(
                                Locale.ROOT,
                                ROW,
                                "filter",
                                "memory",
                                "bits/address",
                                "k",
                                "predicted",
                                "measured",
                                "listed",
                                "stranger",
                                "build",
                                "add",
                                "remove",
                                "2n: memory",
                                "predicted",
                                "measured")));
        table.forEach(row -> print(out, row));
    }

    private static void print(PrintWriter out, Row row) {
        More more = row.more();
        Rate rate = more == null ? null : more.rate();
        Growth growth = more == null ? null : more.growth();
        out.printf(
                Locale.ROOT,
                ROW,
                row.name(),
                Numbers.bytes(row.bytes()),
                String.format(Locale.ROOT, "%.3f", row.bitsPerAddress()),
                row.k() == 0 ? "-" : row.k(),
                rate == null ? "none" : Numbers.percent(row.predictedRate()),
                rate == null ? "none" : measured(rate),
                nanos(row.listedNanos()),
                nanos(row.strangerNanos()),
                nanos(row.buildNanos()),
                nanos(more == null ? Double.NaN : more.addNanos()),
                nanos(more == null ? Double.NaN : more.removeNanos()),
                growth == null ? "-" : Numbers.bytes(growth.bytes()),
                growth == null ? "-" : Numbers.percent(growth.predictedRate()),
                growth == null ? "-" : measured(growth.rate()));
    }

    private static String measured(Rate rate) {
        return String.format(
                Locale.ROOT, "%.4g ± %.2g %%", 100 * rate.value(), 100 * rate.margin());
    }

    private static String nanos(double nanos) {
        return Double.isNaN(nanos)
                ? "-"
                : String.format(Locale.ROOT, nanos < 1000 ? "%.1f" : "%.0f", nanos);
    }

    /**
     * Returns the report as JSON.
     *
     * @param overAddresses results for smaller numbers of addresses
     * @param rates results for several numbers of bits per address
     * @param charts the names of the files with charts
     */
    String json(List<Row> overAddresses, List<RatePoint> rates, List<String> charts) {
        Map<String, Object> all = new LinkedHashMap<>(about);
        all.put("filters", table.stream().map(CompareReport::json).toList());
        all.put("overAddresses", overAddresses.stream().map(CompareReport::json).toList());
        all.put("overBits", rates.stream().map(CompareReport::json).toList());
        all.put("charts", charts);
        return Json.indented(all);
    }

    private static Map<String, Object> json(Row row) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("filter", row.name());
        values.put("addresses", row.addresses());
        values.put("memoryBytes", row.bytes());
        values.put("bitsPerAddress", Json.rounded(row.bitsPerAddress()));
        values.put("k", row.k());
        values.put("falsePositiveRate", Json.rounded(row.predictedRate()));
        values.put("listedNanos", Json.rounded(row.listedNanos()));
        values.put("strangerNanos", Json.rounded(row.strangerNanos()));
        values.put("buildNanosPerAddress", Json.rounded(row.buildNanos()));
        More more = row.more();
        if (more != null) {
            put(values, more.rate());
            values.put("addNanos", Json.rounded(more.addNanos()));
            values.put("removeNanos", Json.rounded(more.removeNanos()));
            Growth growth = more.growth();
            if (growth != null) {
                Map<String, Object> twice = new LinkedHashMap<>();
                twice.put("memoryBytes", growth.bytes());
                twice.put("falsePositiveRate", Json.rounded(growth.predictedRate()));
                put(twice, growth.rate());
                values.put("atTwiceTheAddresses", twice);
            }
        }
        return values;
    }

    private static Map<String, Object> json(RatePoint point) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("filter", point.kind());
        values.put("bitsPerAddress", Json.rounded(point.bitsPerAddress()));
        values.put("falsePositiveRate", Json.rounded(point.predictedRate()));
        put(values, point.rate());
        return values;
    }

    private static void put(Map<String, Object> values, @Nullable Rate rate) {
        if (rate != null) {
            values.put("measuredFalsePositiveRate", Json.rounded(rate.value()));
            values.put("margin95", Json.rounded(rate.margin()));
            values.put("falsePositives", rate.positives());
            values.put("strangers", rate.strangers());
        }
    }
}
