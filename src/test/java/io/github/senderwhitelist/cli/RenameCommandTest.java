package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.list.ListLine;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

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

    @Test
    void shouldKeepWhatIsPutForTheNewAddressMeanwhile() throws Exception {
        String meanwhile = "alice@example.com to=new@here.example origin=user note=meanwhile";
        List<List<String>> puts = new ArrayList<>();
        LivingPlace place =
                (LivingPlace)
                        Proxy.newProxyInstance(
                                LivingPlace.class.getClassLoader(),
                                new Class<?>[] {LivingPlace.class},
                                (proxy, method, arguments) -> {
                                    assertThat(method.getName()).isEqualTo("put");
                                    List<String> before =
                                            puts.isEmpty() ? List.of(meanwhile) : puts.getLast();
                                    puts.add(((Entry) arguments[0]).lines());
                                    return new LivingPlace.Put(true, before, List.of());
                                });

        RenameCommand.add(
                place,
                ALICE,
                NEW,
                rules("alice@example.com to=old@here.example origin=user note=old"));

        assertThat(puts.getLast())
                .containsExactlyInAnyOrder(
                        "alice@example.com to=new@here.example origin=user note=old", meanwhile);
    }

    @Test
    void shouldMoveWhatIsPutForTheOldAddressMeanwhile(@TempDir Path folder) throws Exception {
        Key old = SmallLists.address("old@here.example").key();
        List<Rule> listed = rules("alice@example.com to=old@here.example origin=user");
        List<Rule> denied = rules("!alice@example.com to=old@here.example origin=user");
        try (LivingPlace real =
                new DatabasePlace(
                        Database.h2(folder.resolve("lists"), Duration.ofSeconds(20)),
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
                                        if (method.getName().equals("put")
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
