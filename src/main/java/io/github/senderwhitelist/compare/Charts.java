package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.filter.FilterKind;

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
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/**
 * The charts of the measurements, as SVG and PNG. Drawing needs no screen, but a Java with {@code
 * java.desktop} and a font. The same measurements give the same bytes.
 */
public final class Charts {
    private static final int WIDTH = 880;
    private static final int HEIGHT = 540;
    private static final int PNG_SCALE = 2;

    private static final List<String> NAMES =
            Stream.concat(
                            Arrays.stream(FilterKind.values()).map(FilterKind::label),
                            Stream.of(HashSetCandidate.NAME, SortedArrayCandidate.NAME))
                    .toList();

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
     * Draws a small chart, so that drawing fails, if it must, before anything is measured.
     *
     * @throws Error if Java has no {@code java.desktop} or no fonts
     */
    public static void tryOut() throws IOException {
        XYChart chart = chart("probe", "x", "y");
        add(chart, "probe", FilterKind.CLASSIC.label(), new double[] {1, 2}, new double[] {1, 2});
        png(chart);
    }

    /**
     * Draws all charts.
     *
     * @param predicted the rates that the formulas give
     * @param measured the rates measured
     * @param rows the measurements at all numbers of addresses
     * @return the names of the files and their bytes
     */
    public static Map<String, byte[]> draw(
            List<RatePoint> predicted, List<RatePoint> measured, List<Row> rows)
            throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (Map.Entry<String, XYChart> chart : charts(predicted, measured, rows).entrySet()) {
            files.put(chart.getKey() + ".svg", svg(chart.getValue()));
            files.put(chart.getKey() + ".png", png(chart.getValue()));
        }
        return files;
    }

    static Map<String, XYChart> charts(
            List<RatePoint> predicted, List<RatePoint> measured, List<Row> rows) {
        Map<String, XYChart> charts = new LinkedHashMap<>();
        charts.put("rate", rate(predicted, measured));
        charts.put(
                "time-stranger",
                time("Time of an answer for a stranger", rows, Row::strangerNanos));
        charts.put(
                "time-listed",
                time("Time of an answer for a listed address", rows, Row::listedNanos));
        charts.put("memory", overAddresses("Memory", "bytes", rows, row -> (double) row.bytes()));
        return charts;
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

    private static XYChart rate(List<RatePoint> predicted, List<RatePoint> measured) {
        XYChart chart =
                chart(
                        "False-positive rate; lines: predicted, points: measured",
                        "bits per address",
                        "rate");
        chart.getStyler().setYAxisTickLabelsFormattingFunction(Charts::percent);
        for (FilterKind kind : FilterKind.values()) {
            List<RatePoint> line = of(kind.label(), predicted);
            List<RatePoint> points = positive(of(kind.label(), measured));
            if (points.isEmpty()) {
                continue;
            }
            add(
                            chart,
                            kind.label(),
                            kind.label(),
                            line,
                            RatePoint::bitsPerAddress,
                            RatePoint::predictedRate)
                    .setMarker(SeriesMarkers.NONE)
                    .setShowInLegend(false);
            XYSeries dots =
                    add(
                            chart,
                            kind.label() + " measured",
                            kind.label(),
                            points,
                            RatePoint::bitsPerAddress,
                            Charts::measuredRate);
            dots.setLabel(kind.label());
            dots.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        }
        double[] bits =
                predicted.stream().mapToDouble(RatePoint::bitsPerAddress).sorted().toArray();
        XYSeries least =
                chart.addSeries(
                        "least possible",
                        new double[] {bits[0], bits[bits.length - 1]},
                        new double[] {Math.pow(2, -bits[0]), Math.pow(2, -bits[bits.length - 1])});
        least.setLineColor(Color.GRAY);
        least.setLineStyle(DOTTED);
        least.setMarker(SeriesMarkers.NONE);
        return chart;
    }

    private static double measuredRate(RatePoint point) {
        Rate rate = point.rate();
        return rate == null ? 0 : rate.value();
    }

    private static List<RatePoint> of(String kind, List<RatePoint> points) {
        return points.stream().filter(point -> point.kind().equals(kind)).toList();
    }

    /** Leaves out rates of 0, which have no place on a logarithmic axis. */
    private static List<RatePoint> positive(List<RatePoint> points) {
        return points.stream().filter(point -> measuredRate(point) > 0).toList();
    }

    /**
     * Draws times, with more labels on the axis, because they differ by less than a power of ten.
     */
    private static XYChart time(String title, List<Row> rows, ToDoubleFunction<Row> value) {
        XYChart chart = overAddresses(title, "nanoseconds", rows, value);
        chart.getStyler()
                .setYAxisLogarithmicDecadeOnly(false)
                .setYAxisTickLabelsFormattingFunction(
                        nanos -> {
                            int digit = count(nanos).charAt(0) - '0';
                            return digit == 1 || digit == 2 || digit == 5 ? count(nanos) : " ";
                        });
        return chart;
    }

    private static XYChart overAddresses(
            String title, String y, List<Row> rows, ToDoubleFunction<Row> value) {
        XYChart chart = chart(title, "addresses", y);
        chart.getStyler()
                .setXAxisLogarithmic(true)
                .setXAxisTickLabelsFormattingFunction(Charts::count)
                .setYAxisTickLabelsFormattingFunction(Charts::count);
        List<String> names = rows.stream().map(Row::name).distinct().toList();
        for (String name : names) {
            List<Row> line = rows.stream().filter(row -> row.name().equals(name)).toList();
            add(chart, name, name, line, row -> (double) row.addresses(), value);
        }
        return chart;
    }

    private static <T> XYSeries add(
            XYChart chart,
            String name,
            String kind,
            List<T> points,
            ToDoubleFunction<T> x,
            ToDoubleFunction<T> y) {
        return add(
                chart,
                name,
                kind,
                points.stream().mapToDouble(x).toArray(),
                points.stream().mapToDouble(y).toArray());
    }

    /** Adds a line in the colour and with the marker that its kind has in all charts. */
    private static XYSeries add(XYChart chart, String name, String kind, double[] x, double[] y) {
        XYSeries series = chart.addSeries(name, x, y);
        int place = NAMES.indexOf(kind);
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

    private static byte[] png(XYChart chart) throws IOException {
        BufferedImage image =
                new BufferedImage(
                        PNG_SCALE * WIDTH, PNG_SCALE * HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.scale(PNG_SCALE, PNG_SCALE);
        chart.paint(graphics, WIDTH, HEIGHT);
        graphics.dispose();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, "png", out);
        return out.toByteArray();
    }

    /**
     * Returns a chart as SVG. Letters are drawn as shapes, so that viewers need no font; title and
     * legend are in it as text, too.
     */
    private static byte[] svg(XYChart chart) throws IOException {
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
        series.setTextContent(String.join(", ", legend(chart)));
        root.insertBefore(series, root.getFirstChild());
        root.insertBefore(title, series);
        root.setAttribute("viewBox", "0 0 " + WIDTH + " " + HEIGHT);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8)) {
            graphics.stream(root, writer, false, false);
        }
        return out.toByteArray();
    }

    private static List<String> legend(XYChart chart) {
        List<String> names = new ArrayList<>();
        for (XYSeries series : chart.getSeriesCollection()) {
            if (series.isShowInLegend()) {
                names.add(series.getLabel());
            }
        }
        return names;
    }
}
