package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.ExactStore;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Tests that a list answers, and closes its file, even if its counters or its store throw. */
class GenerationTest {
    private static final Key ALICE = SmallLists.address("alice@example.com").key();

    @TempDir Path folder;

    static Stream<Consumer<Duration>> timers() {
        return Stream.of(
                time -> {
                    throw new IllegalStateException("no timer");
                },
                time -> {
                    throw new NoClassDefFoundError("x/Timer");
                });
    }

    private Snapshot snapshot() throws IOException {
        return SmallLists.snapshot(folder, SmallLists.TIGHT, "alice@example.com");
    }

    @ParameterizedTest
    @MethodSource("timers")
    void shouldAnswerAndCloseWhateverTheTimerThrows(Consumer<Duration> timer) throws Exception {
        Snapshot snapshot = snapshot();
        ListCounters counters = new ListCounters(timer);
        Generation generation = new Generation(snapshot, snapshot.store(), null, 0, counters);

        assertThat(generation.find(ALICE, null)).isNotNull();
        assertThat(counters.get(Count.LOOKUPS)).isOne();
        generation.retire();
        assertClosed(snapshot);
    }

    /** An error in the store, not one of its answers. */
    @Test
    void shouldCloseWhateverTheStoreThrows() throws IOException {
        Snapshot snapshot = snapshot();
        ExactStore broken =
                (key, to) -> {
                    throw new StackOverflowError();
                };
        Generation generation = new Generation(snapshot, broken, null, 0, new ListCounters());

        assertThatThrownBy(() -> generation.find(ALICE, null))
                .isInstanceOf(StackOverflowError.class);
        generation.retire();
        assertClosed(snapshot);
    }

    /** Whoever sends a mail chooses its recipients. In a chain, each costs all those before it. */
    @Test
    void shouldNotBeSlowedDownByRecipientsWithTheSameHashCode() throws IOException {
        Generation generation = Generation.exact(snapshot(), 1 << 15);
        List<Key> recipients = SameHashCode.addresses(15);

        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> {
                    for (int round = 0; round < 2; round++) {
                        for (Key recipient : recipients) {
                            assertThat(generation.find(ALICE, recipient)).isNull();
                        }
                    }
                });
        generation.retire();
    }

    private static void assertClosed(Snapshot snapshot) {
        assertThatThrownBy(() -> Objects.requireNonNull(snapshot.store()).find(ALICE))
                .hasMessageContaining("closed");
    }
}
