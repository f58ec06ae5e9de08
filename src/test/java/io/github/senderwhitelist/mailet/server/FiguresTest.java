package io.github.senderwhitelist.mailet.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.WhitelistHealthCheck;
import io.github.senderwhitelist.refresh.ListStatus;
import io.github.senderwhitelist.tools.Docs;

import org.apache.james.core.healthcheck.Result;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import reactor.core.publisher.Mono;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Metrics and health check of real mailets. */
class FiguresTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(senderWhitelist\\.[^`]+)` \\|");
    private static final String LIST = "senderWhitelist.list.whitelist.txt.";

    @RegisterExtension
    final TestServer server =
            new TestServer(
                    TestServer.living("own")
                            .replace("</w", "<pollInterval>100ms</pollInterval></w"));

    private final SharedLists shared = server.shared;
    private final List<SenderWhitelist> mailets = new ArrayList<>();

    @BeforeEach
    void list() throws IOException {
        server.write("conf/whitelist.txt", "alice@example.com\n");
    }

    private SenderWhitelist mailet(String... parameters) throws Exception {
        SenderWhitelist mailet = server.mailet("file://conf/whitelist.txt", parameters);
        mailets.add(mailet);
        return mailet;
    }

    private static void mail(SenderWhitelist mailet, String sender) throws Exception {
        mailet.service(TestServer.mail(sender));
    }

    private Object gauge(String name) {
        return Objects.requireNonNull(server.gauges.get(name), name).get();
    }

    private Map<String, Object> figures(String... names) {
        Map<String, Object> figures = new HashMap<>();
        for (String name : names) {
            figures.put(name, gauge(LIST + name));
        }
        return figures;
    }

    private String health() {
        Result health =
                Objects.requireNonNull(Mono.from(new WhitelistHealthCheck(shared).check()).block());
        return health.getStatus() + ": " + health.getCause().orElse("");
    }

    @Test
    void shouldCountWhatWasAskedAndAnswered() throws Exception {
        SenderWhitelist mailet = mailet();
        mail(mailet, "alice@example.com");
        mail(mailet, "alice@example.com");
        mail(mailet, "bob@example.com");

        assertThat(server.metrics.countFor("senderWhitelist.verdict.listed")).isEqualTo(2);
        assertThat(server.metrics.countFor("senderWhitelist.verdict.notListed")).isOne();
        assertThat(server.metrics.executionTimesFor("senderWhitelist.lookup")).hasSize(1);
        assertThat(figures("entries", "filter.maybe", "filter.no", "cache.hits", "lookups.done"))
                .containsOnly(
                        entry("entries", 1L),
                        entry("filter.maybe", 2L),
                        entry("filter.no", 1L),
                        entry("cache.hits", 1L),
                        entry("lookups.done", 1L));
        assertThat(gauge(LIST + "cache.hitRate")).isEqualTo(0.5);
        assertThat(gauge(LIST + "filter.falsePositiveRate")).isEqualTo(0.0);
    }

    @Test
    void shouldShowAListOnceAndNothingWhenItIsGone() throws Exception {
        mailet();
        mailet();
        assertThat(shared.files()).hasSize(1);
        mailet("cacheSize", "5");
        assertThat(shared.files()).hasSize(2);
        assertThat(gauge("senderWhitelist.list." + shared.files().lastKey() + ".entries"))
                .isEqualTo(1L);

        mailets.forEach(SenderWhitelist::destroy);
        assertThat(gauge(LIST + "entries")).isEqualTo(0L);
        assertThat(gauge(LIST + "filter.falsePositiveRate")).isEqualTo(Double.NaN);
        assertThat(shared.files()).isEmpty();

        server.write("conf/whitelist.txt", "alice@example.com\nbob@example.com\n");
        mailet();
        assertThat(gauge(LIST + "entries")).as("of the list that bears the name now").isEqualTo(2L);
    }

    @Test
    void shouldReportHealthAndReloads() throws Exception {
        assertThat(health()).startsWith("UNHEALTHY: no list is active");
        mailet();
        assertThat(health()).isEqualTo("HEALTHY: ");

        server.write("conf/whitelist.txt", "# All of them were taken out of this list.\n");
        assertThat(reload("whitelist.txt").problem()).isNotNull();
        assertThat(health()).startsWith("DEGRADED: ").contains("whitelist.txt: holds no");
        Files.delete(server.folder.resolve("conf/whitelist.txt"));
        assertThat(reload("whitelist.txt").problem()).contains("no such file");
        assertThat(figures("degraded", "reloads.done", "reloads.heldBack", "reloads.failed"))
                .containsOnly(
                        entry("degraded", 1L),
                        entry("reloads.done", 1L),
                        entry("reloads.heldBack", 1L),
                        entry("reloads.failed", 1L));

        list();
        assertThat(reload("whitelist.txt").problem()).isNull();
        assertThat(health()).isEqualTo("HEALTHY: ");
    }

    /** The database can be read all the time. What is there already is no change. */
    @Test
    void shouldBeDegradedWhileChangesAreRefused() throws Exception {
        server.mailet("own");
        LivingList own = server.list("own");
        Entry first = Lines.entry("first@example.com");
        Entry second = Lines.entry("second@example.com");
        own.put(first, "test");
        assertThat(health()).isEqualTo("HEALTHY: ");
        try (Connection other =
                        DriverManager.getConnection(
                                "jdbc:sqlite:" + server.folder.resolve("var/own.db"));
                Statement statement = other.createStatement()) {
            statement.execute(
                    "create trigger full before insert on whitelist_entry begin"
                            + " select raise(abort, 'no more entries'); end");
            assertThatThrownBy(() -> own.put(second, "test")).isInstanceOf(IOException.class);
            assertThat(health()).startsWith("DEGRADED: own: ").contains("no more entries");
            await().until(() -> health().contains("a change was refused"));
            own.put(first, "test");
            assertThat(health()).startsWith("DEGRADED: own: ").contains("no more entries");
            statement.execute("drop trigger full");
        }
        await().until(() -> health().equals("HEALTHY: "));
        own.put(second, "test");
    }

    private ListStatus reload(String list) throws IOException {
        return Objects.requireNonNull(shared.files().get(list)).reload();
    }

    @Test
    void shouldHaveEveryMetricInTheManualAndNoOther() throws Exception {
        mailet();
        server.mailet("own");
        Set<String> documented =
                ROW.matcher(Docs.page("watching.md"))
                        .results()
                        .map(row -> row.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = new TreeSet<>(Set.of("senderWhitelist.lookup"));
        for (String name : server.gauges.keySet()) {
            known.add(name.replaceFirst("list\\.(whitelist\\.txt|own)\\.", "list.NAME."));
        }
        server.metrics.countForPrefixName("senderWhitelist.").keySet().forEach(known::add);

        assertThat(documented).isEqualTo(known);
    }
}
