package io.github.senderwhitelist.it.james39;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import org.apache.commons.configuration2.Configuration;
import org.apache.james.core.healthcheck.HealthCheck;
import org.apache.james.core.healthcheck.Result;
import org.apache.james.metrics.api.Gauge;
import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.james.utils.ClassName;
import org.apache.james.utils.GuiceLoader;
import org.apache.james.utils.PropertiesProvider;

import reactor.core.publisher.Mono;

import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * In the place of James' WebAdmin: the health checks named in {@code healthcheck.properties},
 * loaded as James loads them, at {@code /healthcheck}, and some metrics at {@code /metrics}, each
 * in WebAdmin's words.
 */
final class StatusPage implements GaugeRegistry {
    private final RecordingMetricFactory metrics = new RecordingMetricFactory();
    private final Map<String, Gauge<?>> gauges = new ConcurrentHashMap<>();

    RecordingMetricFactory metrics() {
        return metrics;
    }

    /** Keeps the first gauge of a name, as James does. */
    @Override
    public <T> GaugeRegistry register(String name, Gauge<T> gauge) {
        gauges.putIfAbsent(name, gauge);
        return this;
    }

    @Override
    public <T> SettableGauge<T> settableGauge(String name) {
        return value -> gauges.put(name, () -> value);
    }

    /** Opens the page and returns its port. */
    int open(GuiceLoader loader, PropertiesProvider properties) throws Exception {
        Configuration configuration = properties.getConfigurations("healthcheck");
        List<HealthCheck> checks = new ArrayList<>();
        for (String name : configuration.getStringArray("additional.healthchecks")) {
            checks.add(loader.instantiate(new ClassName(name)));
        }
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newSingleThreadExecutor());
        show(server, "/healthcheck", () -> health(checks));
        show(server, "/metrics", this::figures);
        server.start();
        return server.getAddress().getPort();
    }

    private static void show(HttpServer server, String path, Supplier<String> page) {
        server.createContext(
                path,
                exchange -> {
                    byte[] content = page.get().getBytes(UTF_8);
                    exchange.sendResponseHeaders(200, content.length);
                    try (OutputStream out = exchange.getResponseBody()) {
                        out.write(content);
                    }
                });
    }

    private static String health(List<HealthCheck> checks) {
        return checks.stream()
                .map(check -> Objects.requireNonNull(Mono.from(check.check()).block()))
                .map(StatusPage::json)
                .collect(Collectors.joining(",", "{\"checks\":[", "]}"));
    }

    private static String json(Result result) {
        return "{\"componentName\":\"%s\",\"status\":\"%s\",\"cause\":\"%s\"}"
                .formatted(
                        result.getComponentName().getName(),
                        result.getStatus().name().toLowerCase(Locale.ROOT),
                        result.getCause().orElse(""));
    }

    private String figures() {
        List<String> lines = new ArrayList<>();
        gauges.forEach((name, gauge) -> lines.add(line(name, gauge.get())));
        String listed = "senderWhitelist.verdict.listed";
        lines.add(line(listed + ".total", metrics.countFor(listed)));
        String timer = "senderWhitelist.lookup";
        lines.add(line(timer + ".count", metrics.executionTimesFor(timer).size()));
        return String.join("\n", lines) + "\n";
    }

    private static String line(String name, Object value) {
        return name.replaceAll("[^A-Za-z0-9]", "_") + " " + ((Number) value).doubleValue();
    }
}
