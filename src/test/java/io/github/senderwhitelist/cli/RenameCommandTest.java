package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.mailet.WebAdmin;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** What somebody else does while a user is renamed. */
class RenameCommandTest {
    private static final Key ALICE = SmallLists.address("alice@example.com").key();
    private static final Key NEW = SmallLists.address("new@here.example").key();

    private static List<Rule> rules(String... lines) {
        List<Rule> rules = new ArrayList<>();
        for (String line : lines) {
            rules.addAll(((ListLine.Good) ListLine.parse(line)).entry().rules());
        }
        return rules;
    }

    /** Puts a line when a request with this method comes to the server for the first time. */
    private static WebAdmin server(String verb, String meanwhile) {
        AtomicReference<@Nullable WebAdmin> started = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        WebAdmin server =
                new WebAdmin(
                        (request, response) -> {
                            if (request.requestMethod().equals(verb) && !done.getAndSet(true)) {
                                put(Objects.requireNonNull(started.get()), meanwhile);
                            }
                        });
        started.set(server);
        server.open("own");
        return server;
    }

    private static void put(WebAdmin server, String line) throws IOException {
        Objects.requireNonNull(server.living("own"))
                .put(((ListLine.Good) ListLine.parse(line)).entry(), "somebody");
    }

    /** Renames through the server, and returns what it has then. */
    private static List<String> renamed(WebAdmin server) throws IOException {
        put(server, "alice@example.com to=old@here.example origin=user note=old");
        String url = "--server=http://127.0.0.1:" + server.port();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(
                        Main.run(
                                out,
                                "rename",
                                "--list=own",
                                url,
                                "old@here.example",
                                "new@here.example"))
                .isZero();
        assertThat(out.toString(UTF_8))
                .isEqualTo("1 entry of old@here.example is now of new@here.example\n");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        assertThat(Main.run(all, "export", "--list=own", url)).isZero();
        return all.toString(UTF_8).lines().toList();
    }

    @Test
    void shouldKeepWhatIsPutForTheOldAddressJustBeforeItsRemoval() throws Exception {
        try (WebAdmin server =
                server(
                        "DELETE",
                        "!alice@example.com to=old@here.example origin=user note=meanwhile")) {
            assertThat(renamed(server))
                    .containsExactlyInAnyOrder(
                            "alice@example.com to=new@here.example origin=user note=old",
                            "!alice@example.com to=new@here.example origin=user note=meanwhile");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "first"})
    void shouldKeepWhatIsPutForTheNewAddressMeanwhile(String first) throws Exception {
        String meanwhile = "alice@example.com to=new@here.example origin=user note=meanwhile";
        try (WebAdmin server = server("PUT", meanwhile)) {
            if (!first.isEmpty()) {
                put(server, "alice@example.com to=new@here.example origin=user note=" + first);
            }
            assertThat(renamed(server))
                    .containsExactlyInAnyOrder(
                            "alice@example.com to=new@here.example origin=user note=old",
                            meanwhile);
            assertThat(Objects.requireNonNull(server.living("own")).table().history(ALICE, 100))
                    .as("never out of force")
                    .filteredOn(change -> change.who().startsWith("webadmin"))
                    .filteredOn(change -> change.key().endsWith("new@here.example"))
                    .isNotEmpty()
                    .allSatisfy(change -> assertThat(change.lines()).contains(meanwhile));
        }
    }

    @Test
    void shouldMoveWhatIsPutForTheOldAddressMeanwhile(@TempDir Path folder) throws Exception {
        Key old = SmallLists.address("old@here.example").key();
        List<Rule> listed = rules("alice@example.com to=old@here.example origin=user");
        List<Rule> denied = rules("!alice@example.com to=old@here.example origin=user");
        try (LivingPlace real =
                new DatabasePlace(
                        Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20)),
                        "own",
                        "test",
                        note -> {})) {
            real.put(new Entry(ALICE, old, listed));
            AtomicBoolean done = new AtomicBoolean();
            LivingPlace place =
                    (LivingPlace)
                            Proxy.newProxyInstance(
                                    LivingPlace.class.getClassLoader(),
                                    new Class<?>[] {LivingPlace.class},
                                    (proxy, method, arguments) -> {
                                        Object result = method.invoke(real, arguments);
                                        if (method.getName().equals("add")
                                                && !done.getAndSet(true)) {
                                            real.put(new Entry(ALICE, old, denied));
                                        }
                                        return result;
                                    });

            assertThat(RenameCommand.move(place, old, NEW)).isEqualTo(1);

            assertThat(real.linesFor(old)).isEmpty();
            assertThat(real.linesFor(NEW))
                    .contains("!alice@example.com to=new@here.example origin=user");
        }
    }
}
