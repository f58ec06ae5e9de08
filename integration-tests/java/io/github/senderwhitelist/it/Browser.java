package io.github.senderwhitelist.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.github.senderwhitelist.tools.Needs;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real browser without a window, with one page, driven over the protocol of its own tools. */
public final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ServerProcess process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
    private final List<String> complaints = new ArrayList<>();
    private int last;

    /** Starts a browser that keeps its files in a folder. */
    public Browser(Path folder) throws Exception {
        process = start(folder, "--remote-debugging-port=0", "about:blank");
        try {
            Path port = folder.resolve("browser/DevToolsActivePort");
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!Files.exists(port) || Files.readAllLines(port).size() < 2) {
                if (System.nanoTime() > end) {
                    throw new IOException("no browser came up: " + process.log());
                }
                Thread.sleep(100);
            }
            URI pages =
                    URI.create("http://127.0.0.1:" + Files.readAllLines(port).getFirst() + "/json");
            String found =
                    client.send(HttpRequest.newBuilder(pages).build(), BodyHandlers.ofString())
                            .body();
            URI page = URI.create(first(JSON.readTree(found)));
            socket = client.newWebSocketBuilder().buildAsync(page, new Answers()).join();
            send("Runtime.enable", Map.of());
            send("Log.enable", Map.of());
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    /** Starts a browser process, or skips the test if there is none. */
    static ServerProcess start(Path folder, String... arguments) throws IOException {
        String browser =
                Stream.of("/usr/bin/chromium", "/usr/bin/google-chrome")
                        .filter(file -> Files.isExecutable(Path.of(file)))
                        .findFirst()
                        .orElse("");
        Needs.require(!browser.isEmpty(), "chromium is not installed; no web page was opened");
        List<String> command = new ArrayList<>();
        command.add(browser);
        command.addAll(
                List.of(
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + folder.resolve("browser")));
        command.addAll(List.of(arguments));
        return ServerProcess.start(folder, command, folder.resolve("browser.log"));
    }

    private static String first(JsonNode pages) {
        for (JsonNode page : pages) {
            if (page.path("type").asText().equals("page")) {
                return page.path("webSocketDebuggerUrl").asText();
            }
        }
        throw new IllegalStateException("the browser has no page");
    }

    /** Takes what the browser says: answers, and what went wrong in the page. */
    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                String message = text.toString();
                text.setLength(0);
                try {
                    take(JSON.readTree(message));
                } catch (IOException e) {
                    throw new IllegalStateException(message, e);
                }
            }
            from.request(1);
            return null;
        }
    }

    private void take(JsonNode message) {
        if (message.has("id")) {
            answers.add(message);
        }
        JsonNode logged = message.at("/params/entry");
        boolean isError =
                logged.path("level").asText().equals("error")
                        && !logged.path("source").asText().equals("network");
        if (isError || message.path("method").asText().equals("Runtime.exceptionThrown")) {
            synchronized (complaints) {
                complaints.add(message.path("params").toString());
            }
        }
    }

    /** Returns what was wrong in the page since the last call: errors of scripts, the policy. */
    List<String> complaints() {
        synchronized (complaints) {
            List<String> found = List.copyOf(complaints);
            complaints.clear();
            return found;
        }
    }

    private JsonNode send(String method, Map<String, ?> parameters) throws Exception {
        ObjectNode message = JSON.createObjectNode().put("id", ++last).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        socket.sendText(message.toString(), true).join();
        while (true) {
            JsonNode answer = answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (answer == null || answer.has("error")) {
                throw new IOException(method + ": " + answer);
            }
            if (answer.path("id").asInt() == last) {
                return answer.path("result");
            }
        }
    }

    /** Sets the width of the page in pixels, and whether its user likes it dark. */
    public void look(int width, String scheme) throws Exception {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        Map<String, String> wish = Map.of("name", "prefers-color-scheme", "value", scheme);
        send("Emulation.setEmulatedMedia", Map.of("features", List.of(wish)));
    }

    /** Opens a page anew. */
    public void open(String url) throws Exception {
        send("Page.navigate", Map.of("url", "about:blank"));
        send("Page.navigate", Map.of("url", url));
    }

    /** Returns what a script in the page evaluates to, as text; what it promises is awaited. */
    public String run(String script) throws Exception {
        JsonNode answer =
                send(
                        "Runtime.evaluate",
                        Map.of("expression", script, "awaitPromise", true, "returnByValue", true));
        if (answer.has("exceptionDetails")) {
            throw new IOException(script + ": " + answer.path("exceptionDetails"));
        }
        return answer.at("/result/value").asText();
    }

    /** Waits until a script in the page evaluates to what is true. */
    public void await(String script) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!run("!!(" + script + ")").equals("true")) {
            if (System.nanoTime() > end) {
                throw new IOException(script + " is not: " + run("document.body.innerText"));
            }
            Thread.sleep(50);
        }
    }

    /** Draws the page, as far as the height goes, into a file. */
    void draw(Path file, int width, int height) throws Exception {
        Map<String, ?> clip = Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1);
        JsonNode drawn =
                send("Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
        Files.write(file, Base64.getDecoder().decode(drawn.path("data").asText()));
    }

    @Override
    public void close() {
        client.shutdownNow();
        process.close();
    }
}
