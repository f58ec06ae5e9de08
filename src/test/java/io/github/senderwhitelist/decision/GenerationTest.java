package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.ExactStore;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Tests that a list answers, and closes its file, even if its counters or its store throw. */
class GenerationTest {
    @TempDir Path folder;

    static Stream<Supplier<Runnable>> timers() {
        return Stream.of(
                () -> {
                    throw new IllegalStateException("no timer");
                },
                () -> {
                    throw new NoClassDefFoundError("x/Timer");
                },
                () ->
                        () -> {
                            throw new IllegalStateException("no end");
                        },
                () ->
                        () -> {
                            throw new NoClassDefFoundError("x/Timer");
                        });
    }

    private Snapshot snapshot() throws IOException {
        return SmallLists.snapshot(folder, SmallLists.TIGHT, "alice@example.com");
    }

    @ParameterizedTest
    @MethodSource("timers")
    void shouldAnswerAndCloseWhateverTheTimerThrows(Supplier<Runnable> timer) throws IOException {
        Snapshot snapshot = snapshot();
        ListCounters counters = new ListCounters(timer);
        Generation generation = new Generation(snapshot, snapshot.store(), null, 0, counters);
        PlainWhitelist whitelist =
                new PlainWhitelist(List.of(() -> generation), Subaddressing.NONE);

        assertThat(whitelist.check(SmallLists.address("alice@example.com")))
                .isInstanceOf(Listed.class);
        assertThat(counters.get(Count.LOOKUPS)).isOne();
        generation.retire();
        assertClosed(snapshot);
    }

    /** An error in the store, not one of its answers. */
    @Test
    void shouldCloseWhateverTheStoreThrows() throws IOException {
        Snapshot snapshot = snapshot();
        ExactStore broken =
                new ExactStore() {
                    @Override
                    public @Nullable Entry find(Key key, @Nullable Key to) {
                        throw new StackOverflowError();
                    }
                };
        Generation generation = new Generation(snapshot, broken, null, 0, new ListCounters());
        PlainWhitelist whitelist =
                new PlainWhitelist(List.of(() -> generation), Subaddressing.NONE);

        assertThatThrownBy(() -> whitelist.check(SmallLists.address("alice@example.com")))
                .isInstanceOf(StackOverflowError.class);
        generation.retire();
        assertClosed(snapshot);
    }

    /** Whoever sends a mail chooses its recipients. In a chain, each costs all those before it. */
    @Test
    void shouldNotBeSlowedDownByRecipientsWithTheSameHashCode() throws IOException {
        Generation generation = Generation.exact(snapshot(), 1 << 15);
        Key sender = SmallLists.address("alice@example.com").key();
        List<Key> recipients = SameHashCode.addresses(15);

        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> {
                    for (int round = 0; round < 2; round++) {
                        for (Key recipient : recipients) {
                            assertThat(generation.find(sender, recipient)).isNull();
                        }
                    }
                });
        generation.retire();
    }

    private static void assertClosed(Snapshot snapshot) {
        assertThatThrownBy(
                        () ->
                                Objects.requireNonNull(snapshot.store())
                                        .find(SmallLists.address("alice@example.com").key(), null))
                .hasMessageContaining("closed");
    }
}
