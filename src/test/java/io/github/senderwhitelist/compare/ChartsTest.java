package io.github.senderwhitelist.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.w3c.dom.Document;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;

class ChartsTest {
    private static final String[] CHARTS = {"rate", "time-stranger", "time-listed", "memory"};

    private final List<RatePoint> predicted = new ArrayList<>();
    private final List<RatePoint> measured = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    ChartsTest() {
        for (FilterKind kind : FilterKind.values()) {
            for (int bits = 4; bits <= 16; bits += 4) {
                double rate = Math.pow(0.6, bits);
                predicted.add(new RatePoint(kind.label(), bits, rate, null));
                // The last point has a rate of 0, which has no place on the chart.
                long positives = bits == 16 ? 0 : Math.round(1e6 * rate);
                measured.add(
                        new RatePoint(kind.label(), bits, rate, new Rate(positives, 1_000_000)));
            }
            row(kind.label(), 30);
        }
        row("HashSet", 100);
        row("sorted array", 500);
    }

    private void row(String name, double nanos) {
        for (int n = 1000; n <= 100_000; n *= 10) {
            rows.add(new Row(name, n, 2L * n, 7, 0.01, 10, nanos + 5, nanos, null));
        }
    }

    @BeforeAll
    static void needFonts() {
        Needs.requireFonts();
    }

    @Test
    void shouldDrawEveryKindInItsColour() {
        Map<String, XYChart> charts = Charts.charts(predicted, measured, rows);

        assertThat(charts).containsOnlyKeys(CHARTS);
        XYChart rate = Objects.requireNonNull(charts.get("rate"));
        for (FilterKind kind : FilterKind.values()) {
            XYSeries line = rate.getSeries(kind.label());
            XYSeries points = rate.getSeries(kind.label() + " measured");
            assertThat(line.getXData()).containsExactly(4, 8, 12, 16);
            assertThat(points.getXData()).containsExactly(4, 8, 12);
            assertThat(points.getYData())
                    .containsExactly(
                            measured.stream()
                                    .filter(point -> point.kind().equals(kind.label()))
                                    .mapToDouble(
                                            point -> Objects.requireNonNull(point.rate()).value())
                                    .limit(3)
                                    .toArray());
            assertThat(points.getMarkerColor()).isEqualTo(line.getLineColor());
            for (String chart : List.of("time-stranger", "time-listed", "memory")) {
                XYSeries series = Objects.requireNonNull(charts.get(chart)).getSeries(kind.label());
                assertThat(series.getLineColor()).isEqualTo(line.getLineColor());
                assertThat(series.getXData()).containsExactly(1000, 10_000, 100_000);
            }
        }
        XYChart stranger = Objects.requireNonNull(charts.get("time-stranger"));
        XYChart listed = Objects.requireNonNull(charts.get("time-listed"));
        XYChart memory = Objects.requireNonNull(charts.get("memory"));
        assertThat(stranger.getSeries("HashSet").getYData()).containsOnly(100);
        assertThat(listed.getSeries("sorted array").getYData()).containsOnly(505);
        assertThat(memory.getSeries("blocked").getYData()).containsExactly(2e3, 2e4, 2e5);
        assertThat(stranger.getSeriesCollection().stream().map(XYSeries::getLineColor).distinct())
                .hasSize(FilterKind.values().length + 2);
    }

    @Test
    void shouldDrawSvgAndPngThatSayWhatTheyShow() throws Exception {
        Map<String, byte[]> files = Charts.draw(predicted, measured, rows);

        assertThat(files).hasSize(2 * CHARTS.length);
        for (String chart : CHARTS) {
            byte[] svg = Objects.requireNonNull(files.get(chart + ".svg"));
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(
                    "http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
            Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(svg));
            assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
            assertThat(document.getElementsByTagName("path").getLength()).isGreaterThan(20);
            String text = document.getElementsByTagName("desc").item(0).getTextContent();
            for (FilterKind kind : FilterKind.values()) {
                assertThat(text).as(chart).containsOnlyOnce(kind.label());
            }
            assertThat(svg).hasSizeLessThan(300_000);
            BufferedImage png =
                    ImageIO.read(
                            new ByteArrayInputStream(
                                    Objects.requireNonNull(files.get(chart + ".png"))));
            assertThat(png.getWidth()).isEqualTo(1760);
            assertThat(png.getHeight()).isEqualTo(1080);
            assertThat(png.getRGB(5, 5)).as("white").isEqualTo(-1);
        }
    }

    @Test
    void shouldDrawTheSameBytesAgain() throws Exception {
        Map<String, byte[]> again = Charts.draw(predicted, measured, rows);

        Charts.draw(predicted, measured, rows)
                .forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(again.get(name)));
    }
}
