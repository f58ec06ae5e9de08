package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.bench.Comparison.Row;

import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/** The charts of a comparison, as SVG. Drawing needs a Java with {@code java.desktop} and fonts. */
final class Charts {
    private static final int WIDTH = 880;
    private static final int HEIGHT = 540;

    /** Colours that most colour-blind people can distinguish (Okabe, Ito 2008), and a few more. */
    private static final Color[] COLOURS = {
        new Color(0x0072b2),
        new Color(0xd55e00),
        new Color(0x009e73),
        new Color(0xcc79a7),
        new Color(0xe69f00),
        new Color(0x56b4e9),
        new Color(0x6a3d9a),
        new Color(0x000000),
        new Color(0x808080)
    };

    private static final Marker[] MARKERS = {
        SeriesMarkers.CIRCLE,
        SeriesMarkers.SQUARE,
        SeriesMarkers.TRIANGLE_UP,
        SeriesMarkers.DIAMOND,
        SeriesMarkers.TRIANGLE_DOWN,
        SeriesMarkers.CROSS,
        SeriesMarkers.RECTANGLE,
        SeriesMarkers.CIRCLE,
        SeriesMarkers.SQUARE
    };

    private static final BasicStroke LINE =
            new BasicStroke(1.5f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    private static final BasicStroke DOTTED =
            new BasicStroke(
                    1.2f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {2, 4}, 0);

    private Charts() {}

    /**
     * Draws all charts into a folder.
     *
     * @param rates rows for several numbers of bits per address
     * @param rows rows for several numbers of addresses
     */
    static void draw(List<Row> rates, List<Row> rows, Path folder) throws IOException {
        Files.createDirectories(folder);
        Map<String, XYChart> charts = new LinkedHashMap<>();
        charts.put("rate", rate(rates));
        charts.put(
                "time-stranger",
                overAddresses("Time of an answer for a stranger", "ns", rows, Row::strangerNanos));
        charts.put(
                "time-listed",
                overAddresses(
                        "Time of an answer for a listed address", "ns", rows, Row::listedNanos));
        charts.put(
                "memory", overAddresses("Memory", "bytes", rows, row -> row.bits() * row.n() / 8));
        for (Map.Entry<String, XYChart> chart : charts.entrySet()) {
            write(chart.getValue(), folder.resolve(chart.getKey() + ".svg"));
        }
    }

    private static XYChart chart(String title, String x, String y) {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle(x)
                        .yAxisTitle(y)
                        .build();
        Color text = new Color(0x24292f);
        chart.getStyler()
                .setYAxisLogarithmic(true)
                .setYAxisLogarithmicDecadeOnly(true)
                .setXAxisLogarithmicDecadeOnly(true)
                .setPlotGridLinesColor(new Color(0xe4e7ea))
                .setPlotGridLinesStroke(new BasicStroke(0.8f))
                .setAxisTicksLineVisible(false)
                .setAxisTickPadding(8)
                .setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13))
                .setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14))
                .setAxisTickLabelsColor(text)
                .setMarkerSize(7)
                .setLegendPosition(Styler.LegendPosition.OutsideE)
                .setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13))
                .setLegendBorderColor(Color.WHITE)
                .setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 16))
                .setChartTitleBoxVisible(false)
                .setChartTitlePadding(12)
                .setChartBackgroundColor(Color.WHITE)
                .setPlotBackgroundColor(Color.WHITE)
                .setChartFontColor(text)
                .setLocale(Locale.ROOT);
        return chart;
    }

    private static XYChart rate(List<Row> rates) {
        XYChart chart =
                chart(
                        "False-positive rate; lines: predicted, points: measured",
                        "bits per address",
                        "rate");
        chart.getStyler().setYAxisTickLabelsFormattingFunction(Charts::percent);
        for (Map.Entry<String, List<Row>> kind : byName(rates).entrySet()) {
            List<Row> points = kind.getValue().stream().filter(row -> row.measured() > 0).toList();
            if (points.isEmpty()) {
                continue;
            }
            String name = kind.getKey();
            add(chart, name + " predicted", name, points, Row::bits, Row::predicted)
                    .setMarker(SeriesMarkers.NONE)
                    .setShowInLegend(false);
            add(chart, name, name, points, Row::bits, Row::measured)
                    .setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        }
        double[] bits = rates.stream().mapToDouble(Row::bits).sorted().toArray();
        double[] ends = {bits[0], bits[bits.length - 1]};
        XYSeries least =
                chart.addSeries(
                        "least possible",
                        ends,
                        new double[] {Math.pow(2, -ends[0]), Math.pow(2, -ends[1])});
        least.setLineColor(Color.GRAY);
        least.setLineStyle(DOTTED);
        least.setMarker(SeriesMarkers.NONE);
        return chart;
    }

    private static Map<String, List<Row>> byName(List<Row> rows) {
        return rows.stream()
                .collect(Collectors.groupingBy(Row::name, LinkedHashMap::new, Collectors.toList()));
    }

    private static XYChart overAddresses(
            String title, String y, List<Row> rows, ToDoubleFunction<Row> value) {
        XYChart chart = chart(title, "addresses", y);
        chart.getStyler()
                .setXAxisLogarithmic(true)
                .setYAxisLogarithmicDecadeOnly(false)
                .setXAxisTickLabelsFormattingFunction(Charts::count)
                .setYAxisTickLabelsFormattingFunction(Charts::countOfOneTwoOrFive);
        // The heap of a small set drowns in that of other threads, and a logarithm needs more than
        // 0.
        List<Row> positive = rows.stream().filter(row -> value.applyAsDouble(row) > 0).toList();
        byName(positive).forEach((name, line) -> add(chart, name, name, line, Row::n, value));
        return chart;
    }

    /** Adds a line in the colour and with the marker that its set has in all charts. */
    private static XYSeries add(
            XYChart chart,
            String name,
            String set,
            List<Row> points,
            ToDoubleFunction<Row> x,
            ToDoubleFunction<Row> y) {
        XYSeries series =
                chart.addSeries(
                        name,
                        points.stream().mapToDouble(x).toArray(),
                        points.stream().mapToDouble(y).toArray());
        int place = Comparison.names().indexOf(set);
        series.setMarker(MARKERS[place % MARKERS.length]);
        series.setMarkerColor(COLOURS[place % COLOURS.length]);
        series.setLineColor(COLOURS[place % COLOURS.length]);
        series.setLineStyle(LINE);
        return series;
    }

    private static String percent(double rate) {
        return new BigDecimal(100 * rate)
                        .round(new MathContext(3))
                        .stripTrailingZeros()
                        .toPlainString()
                + " %";
    }

    /** Labels few places of an axis whose values differ by less than a power of ten. */
    private static String countOfOneTwoOrFive(double number) {
        String text = count(number);
        return "125".indexOf(text.charAt(0)) >= 0 ? text : " ";
    }

    /** Returns a number with three digits and a unit for powers of 1000. */
    private static String count(double number) {
        String[] units = {"", "k", "M", "G", "T"};
        double value = number;
        int unit = 0;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString()
                + units[unit];
    }

    /**
     * Writes a chart as SVG. Letters are drawn as shapes, so that viewers need no font; title and
     * legend are in it as text, too.
     */
    private static void write(XYChart chart, Path file) throws IOException {
        Document document;
        try {
            document =
                    DocumentBuilderFactory.newDefaultInstance()
                            .newDocumentBuilder()
                            .getDOMImplementation()
                            .createDocument("http://www.w3.org/2000/svg", "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IOException(e);
        }
        SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
        context.setComment(null);
        context.setPrecision(2);
        SVGGraphics2D graphics = new SVGGraphics2D(context, true);
        graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
        chart.paint(graphics, WIDTH, HEIGHT);
        Element root = graphics.getRoot();
        Element title = document.createElementNS("http://www.w3.org/2000/svg", "title");
        title.setTextContent(chart.getTitle());
        Element series = document.createElementNS("http://www.w3.org/2000/svg", "desc");
        series.setTextContent(
                chart.getSeriesCollection().stream()
                        .filter(XYSeries::isShowInLegend)
                        .map(XYSeries::getLabel)
                        .collect(Collectors.joining(", ")));
        root.insertBefore(series, root.getFirstChild());
        root.insertBefore(title, series);
        root.setAttribute("viewBox", "0 0 " + WIDTH + " " + HEIGHT);
        try (Writer writer = Files.newBufferedWriter(file)) {
            graphics.stream(root, writer, false, false);
        }
    }
}
