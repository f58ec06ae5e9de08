package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

class CompareCommandTest extends CommandTest {
    private static final String[] CHARTS = {"rate", "time-stranger", "time-listed", "memory"};

    private static final List<String> WITHOUT_DESKTOP =
            List.of("--limit-modules", "java.base,java.xml,java.logging,java.management");

    private static List<String> kinds() {
        return Arrays.stream(FilterKind.values()).map(FilterKind::label).toList();
    }

    private String list() throws IOException {
        StringBuilder list = new StringBuilder("@example.org\n!eve@example.com\n");
        for (int i = 0; i < 1999; i++) {
            list.append("user").append(i).append("@example.com\n");
        }
        list.append("user0@example.com\n");
        return Files.writeString(folder.resolve("list.txt"), list).toString();
    }

    @Test
    void shouldPrintATableOfAllKinds() throws IOException {
        assertThat(Main.run("compare", list(), "--false-positive-rate", "0.02", "--rounds=3"))
                .as(err())
                .isZero();

        List<String> lines = out().lines().toList();
        assertThat(lines.getFirst())
                .startsWith("2000 addresses (" + folder.resolve("list.txt") + ")")
                .contains("false-positive rate 0.02", "seed 0");
        List<String> names = new ArrayList<>(kinds());
        names.add("HashSet");
        names.add("sorted array");
        List<String> rows = lines.subList(lines.size() - names.size(), lines.size());
        assertThat(rows).hasSameSizeAs(names);
        for (int i = 0; i < rows.size(); i++) {
            assertThat(rows.get(i)).startsWith(names.get(i) + " ");
        }
        assertThat(rows.get(kinds().indexOf("cuckoo"))).containsPattern(" ± [0-9.]+ %.* ± ");
        assertThat(rows.get(kinds().indexOf("ribbon"))).contains("0.7813 %").endsWith("-");
    }

    @Test
    void shouldWriteJsonAndCharts() throws IOException {
        Needs.requireFonts();
        Path charts = folder.resolve("new/charts");
        Files.createDirectories(charts);
        Files.writeString(charts.resolve("rate.svg"), "old");

        int exit =
                Main.run(
                        "compare",
                        "--addresses",
                        "2e3",
                        "--bits-per-address=8",
                        "--filters-only",
                        "--seed=5",
                        "--rounds=3",
                        "--json",
                        "-o",
                        charts.toString());

        assertThat(exit).as(err()).isZero();
        JsonNode json = new ObjectMapper().readTree(out());
        assertThat(json.get("addresses").asInt()).isEqualTo(2000);
        assertThat(json.get("seed").asInt()).isEqualTo(5);
        assertThat(names(json.get("filters"))).containsExactlyElementsOf(kinds());
        for (JsonNode kind : json.get("filters")) {
            String name = kind.get("filter").asText();
            assertThat(kind.get("memoryBytes").asLong()).isPositive();
            assertThat(kind.get("strangers").asLong()).isGreaterThanOrEqualTo(1_000_000);
            assertThat(kind.get("measuredFalsePositiveRate").asDouble()).isBetween(1e-4, 0.5);
            assertThat(kind.get("margin95").asDouble()).isPositive();
            assertThat(kind.get("removeNanos").isNumber())
                    .as(name)
                    .isEqualTo(FilterKind.valueOf(name.toUpperCase(Locale.ROOT)).removes());
            assertThat(kind.has("atTwiceTheAddresses"))
                    .as(name)
                    .isEqualTo(FilterKind.valueOf(name.toUpperCase(Locale.ROOT)).grows());
        }
        assertThat(names(json.get("overAddresses"))).containsExactlyElementsOf(kinds());
        assertThat(json.get("overAddresses").get(0).get("addresses").asInt()).isEqualTo(1000);
        assertThat(names(json.get("overBits")).distinct())
                .containsExactlyInAnyOrderElementsOf(kinds());
        assertThat(json.get("charts")).hasSize(2 * CHARTS.length);
        List<String> files = new ArrayList<>();
        for (String chart : CHARTS) {
            files.add(chart + ".svg");
            files.add(chart + ".png");
            assertThat(charts.resolve(chart + ".svg")).content().contains("<svg", "cuckoo");
        }
        try (Stream<Path> made = Files.list(charts)) {
            assertThat(made.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(files);
        }
    }

    private static Stream<String> names(JsonNode rows) {
        List<String> names = new ArrayList<>();
        rows.forEach(row -> names.add(row.get("filter").asText()));
        return names.stream();
    }

    private void requireFailure(String message, String... arguments) {
        out.reset();
        err.reset();
        String[] line =
                Stream.concat(Stream.of("compare"), Arrays.stream(arguments))
                        .toArray(String[]::new);
        assertThat(Main.run(line)).isEqualTo(2);
        assertThat(out()).isEmpty();
        assertThat(err()).contains(message).doesNotContain("\tat ");
    }

    @Test
    void shouldRefuseWhatItCannotCompare() throws IOException {
        String list = list();
        requireFailure("a LIST or '--addresses=N' is needed");
        requireFailure("only one of them is allowed", list, "--addresses", "10");
        requireFailure("allowed: a whole number from 1", "--addresses", "0");
        requireFailure("allowed: a number from 1.0 to 64.0", list, "--bits-per-address", "0");
        requireFailure(
                folder.resolve("none") + ": no such file", folder.resolve("none").toString());
        requireFailure(
                "no addresses in it",
                Files.writeString(folder.resolve("d"), "@d.example\n").toString());
        requireFailure("compare takes up to 2147483639", "--addresses", "10^10", "--filters-only");
    }

    @Test
    void shouldRefuseAFolderThatCannotBeMade() throws IOException {
        Needs.requireFonts();
        Path file = Files.writeString(folder.resolve("file"), "x");
        requireFailure(
                file + "/charts: this folder cannot be created", list(), "-o", file + "/charts");
        requireFailure(file + ": this folder cannot be created", list(), "-o", file.toString());
    }

    private record Ended(int exit, String out, String err) {}

    private Ended java(Path in, List<String> options, String... arguments) throws Exception {
        List<String> command = ChildJava.running(Main.class, options.toArray(new String[0]));
        command.add("compare");
        command.addAll(Arrays.asList(arguments));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process process =
                new ProcessBuilder(command)
                        .redirectInput(in.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        return new Ended(process.waitFor(), Files.readString(out), Files.readString(err));
    }

    @Test
    void shouldSayHowMuchHeapItNeeds() throws Exception {
        Path none = Files.createFile(folder.resolve("none"));
        Ended ended = java(none, List.of("-Xmx48m"), "--addresses", "10^6");

        assertThat(ended.exit).isEqualTo(2);
        assertThat(ended.err)
                .hasLineCount(1)
                .containsPattern("comparing 1000000 addresses needs a heap of about .* MB")
                .containsPattern("java -Xmx[0-9]+m")
                .containsPattern("with --filters-only -Xmx[0-9]+m");
    }

    @Test
    void shouldSayThatItCannotDrawWithoutFonts() throws Exception {
        Ended ended =
                java(
                        Path.of(list()),
                        WITHOUT_DESKTOP,
                        "-",
                        "-o",
                        folder.resolve("charts").toString());

        assertThat(ended.exit).isEqualTo(2);
        assertThat(ended.err).hasLineCount(1).contains("charts cannot be drawn").contains("fonts");
    }

    /** Without charts, no fonts are needed. */
    @Tag("large")
    @Test
    void shouldReadStandardInput() throws Exception {
        Ended ended = java(Path.of(list()), WITHOUT_DESKTOP, "-", "--json", "--rounds=3");

        assertThat(ended.exit).as(ended.err).isZero();
        assertThat(new ObjectMapper().readTree(ended.out).get("addresses").asInt()).isEqualTo(2000);
    }
}
