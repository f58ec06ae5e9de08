package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.MemoryRecord;
import io.github.senderwhitelist.living.TestLivingLists;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.SharedLists.Judging;
import io.github.senderwhitelist.mailet.server.WhitelistMetrics;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.tools.Folders;
import io.github.senderwhitelist.usage.UsageCounter;

import org.apache.james.metrics.api.NoopGaugeRegistry;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.james.webadmin.RandomPortSupplier;
import org.apache.james.webadmin.Routes;
import org.apache.james.webadmin.WebAdminConfiguration;
import org.apache.james.webadmin.WebAdminServer;
import org.apache.james.webadmin.authentication.AuthenticationFilter;
import org.apache.james.webadmin.mdc.LoggingRequestFilter;
import org.apache.james.webadmin.mdc.RequestId;
import org.apache.james.webadmin.mdc.RequestLogger;
import org.jspecify.annotations.Nullable;

import spark.Request;
import spark.Response;
import spark.Service;
import spark.Spark;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** WebAdmin of James 3.8.1 with the routes of lists, and a client. */
public final class WebAdmin extends SharedLists implements Closeable {
    private static final String JUDGE = "all";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Set<String> VERBS =
            Set.of("GET", "HEAD", "PUT", "POST", "PATCH", "DELETE");

    private final SortedMap<String, LivingList> lists = new TreeMap<>();
    private final SortedMap<String, FileList> files = new TreeMap<>();

    /** What counts the use of lists, by their names. */
    final SortedMap<String, UsageCounter> usage = new TreeMap<>();

    private final WebAdminServer james;
    private @Nullable Service defined;
    private volatile AuthenticationFilter login = WebAdmin::nobodyAsked;
    private final Path folder = Folders.ofThisJava("webadmin");

    /** Starts a server without mailets. */
    public WebAdmin() {
        this("");
    }

    /** Starts one whose {@code conf/whitelists.xml} holds these elements. */
    public WebAdmin(String elements) {
        super(
                new WhitelistMetrics(new RecordingMetricFactory(), new NoopGaugeRegistry()),
                TestLists.named("<whitelists>" + elements + "</whitelists>"),
                RecipientUsers.NONE,
                InstantSource.system());
        WhitelistRoutes whitelists = new WhitelistRoutes(this);
        Routes routes =
                new Routes() {
                    @Override
                    public String getBasePath() {
                        return whitelists.getBasePath();
                    }

                    @Override
                    public void define(Service service) {
                        defined = service;
                        whitelists.define(service);
                    }
                };
        james =
                new WebAdminServer(
                        WebAdminConfiguration.builder()
                                .enabled()
                                .host("127.0.0.1")
                                .port(new RandomPortSupplier())
                                .build(),
                        List.of(routes),
                        (request, response) -> login.handle(request, response),
                        new RecordingMetricFactory(),
                        new LoggingRequestFilter(Set.of(new FormsOnly()))) {};
        james.start();
    }

    /**
     * James' own log reads parameters and body of every request, which takes the body out of a form
     * and makes errors of what is malformed, before we are asked. Here it does so for forms only,
     * and when asked.
     */
    private static final class FormsOnly implements RequestLogger {
        @Override
        public boolean applies(Request request) {
            return !String.valueOf(request.contentType()).contains("form")
                    && request.headers("X-Logged") == null;
        }

        @Override
        public void log(Request request, RequestId id) {}
    }

    /** Lets everybody in; says who it is as James' filter of tokens does. */
    private static void nobodyAsked(Request request, Response response) {
        if (request.headers("X-Login") != null) {
            request.attribute("LOGIN", request.headers("X-Login"));
        }
    }

    /** Asks for passwords from now on, by the rules of James 3.9.0 or of master. */
    public void requirePassword(Passwords rules) {
        login = rules;
    }

    /**
     * The rules by which later versions of James ask for a password, written anew: 3.9.0 knows one
     * header, master another one beside it and passwords that may not do everything.
     */
    public enum Passwords implements AuthenticationFilter {
        OF_3_9_0,
        OF_MASTER;

        public static final String ALL = "s3cret";
        public static final String NO_DELETE = "writer";
        public static final String READ_ONLY = "reader";

        @Override
        public void handle(Request request, Response response) {
            String verb = request.requestMethod();
            if (verb.equals("OPTIONS")) {
                return;
            }
            String sent = request.headers("Password");
            String token = request.headers("Authorization");
            if (this == OF_MASTER && sent == null && token != null) {
                sent = token.startsWith("Bearer ") ? token.substring(7) : null;
            }
            boolean isPart =
                    this == OF_MASTER && (NO_DELETE.equals(sent) || READ_ONLY.equals(sent));
            if (!ALL.equals(sent) && !isPart) {
                Spark.halt(401, sent == null ? "No Password in header." : "Wrong password.");
            }
            boolean reads = verb.equals("GET") || verb.equals("HEAD");
            if (isPart && !reads && (READ_ONLY.equals(sent) || verb.equals("DELETE"))) {
                Spark.halt(403, "Insufficient permissions for this operation.");
            }
        }
    }

    /** Opens a list over a table without entries. */
    public MemoryRecord open(String name) {
        MemoryRecord record = new MemoryRecord(new Random(name.hashCode()));
        open(name, record);
        return record;
    }

    /** Opens a list over a table. */
    public void open(String name, ListRecord record) {
        lists.put(
                name,
                TestLivingLists.open(
                        record,
                        name,
                        folder.resolve(name + ".base"),
                        Duration.ofMillis(50),
                        Duration.ofSeconds(30),
                        new LivingListener() {}));
        judging().removeIf(each -> each.name().equals(JUDGE));
        // As a mailet does that has no other parameters.
        Policy policy = PlainWhitelist.policy(Subaddressing.DEFAULT);
        Whitelist whitelist = new Whitelist(List.copyOf(lists.values()), policy);
        judging().add(new Judging(JUDGE, List.copyOf(lists.keySet()), whitelist));
    }

    @Override
    public SortedMap<String, LivingList> living() {
        return lists;
    }

    @Override
    public SortedMap<String, FileList> files() {
        files.putAll(super.files());
        return files;
    }

    @Override
    public @Nullable UsageCounter usage(String name) {
        UsageCounter own = usage.get(name);
        return own == null ? super.usage(name) : own;
    }

    /**
     * Returns the methods and paths of all routes for programs, with the parameters of paths in
     * braces, such as {@code PUT /whitelists/{list}/entries}.
     */
    List<String> routes() {
        return Objects.requireNonNull(defined).routes().stream()
                .filter(route -> route.getMatchUri().matches("/whitelists(/.*[^*])?"))
                .map(
                        route ->
                                route.getHttpMethod().name().toUpperCase(Locale.ROOT)
                                        + " "
                                        + route.getMatchUri().replaceAll(":(\\w+)", "{$1}"))
                .filter(route -> VERBS.contains(route.split(" ", -1)[0]))
                .distinct()
                .sorted()
                .toList();
    }

    /** Returns the port of the server. */
    public int port() {
        return james.getPort().getValue();
    }

    /** Asks for a path with a method. */
    public HttpResponse<String> send(String verb, String path)
            throws IOException, InterruptedException {
        return send(verb, path, null);
    }

    /** Sends a body as JSON, or none if it is null. */
    public HttpResponse<String> send(String verb, String path, @Nullable String body)
            throws IOException, InterruptedException {
        return send(verb, path, body, "Content-Type", "application/json");
    }

    /** Sends a body with headers: names and values in turn. */
    public HttpResponse<String> send(
            String verb, String path, @Nullable String body, String... headers)
            throws IOException, InterruptedException {
        return send(
                verb,
                path,
                body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body),
                headers);
    }

    /** Returns the lines of all pages of a route, whose path has a query. */
    List<JsonNode> pages(String path) throws IOException, InterruptedException {
        List<JsonNode> lines = new ArrayList<>();
        String after = "";
        while (true) {
            HttpResponse<String> answer = send("GET", path + after);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            JsonNode page = JSON.readTree(answer.body());
            page.get("lines").forEach(lines::add);
            if (page.get("next").isNull()) {
                return lines;
            }
            after = "&after=" + URLEncoder.encode(page.get("next").asText(), UTF_8);
        }
    }

    /** Sends a body as it is. */
    HttpResponse<String> send(String verb, String path, BodyPublisher body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                        .method(verb, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        // Jetty may close a connection after it has refused a request, so none is used again.
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            return client.send(request.build(), BodyHandlers.ofString());
        }
    }

    /**
     * Sends a request that the client would refuse to send.
     *
     * @param start the first line, without the version
     * @return the whole answer
     */
    String sendRaw(String start) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            String request = start + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    @Override
    public void close() throws IOException {
        james.destroy();
        for (LivingList list : lists.values()) {
            list.close();
        }
    }
}
