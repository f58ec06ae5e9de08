package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class InOrderTest {
    private static final int COUNT = 50;
    private static final List<Integer> ITEMS = IntStream.range(0, COUNT).boxed().toList();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldHandOutResultsInOrder(int threads) throws IOException {
        List<Integer> taken = new ArrayList<>();
        InOrder.map(ITEMS, threads, item -> item * 2, taken::add);
        assertThat(taken).isEqualTo(ITEMS.stream().map(item -> item * 2).toList());
        InOrder.map(List.<Integer>of(), threads, item -> item, taken::add);
        assertThat(taken).hasSize(COUNT);
    }

    @Test
    void shouldWorkOnSeveralThingsAtOnceAndNeverOnMany() throws IOException {
        CountDownLatch both = new CountDownLatch(2);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        InOrder.map(
                ITEMS,
                2,
                item -> {
                    assertThat(begun.incrementAndGet() - taken.get()).isLessThanOrEqualTo(4);
                    both.countDown();
                    return await(both);
                },
                result -> taken.incrementAndGet());
        assertThat(taken).hasValue(COUNT);
    }

    private static boolean await(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldLetTheCallingThreadDoASingleThing() throws IOException {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        InOrder.map(List.of(1), 4, item -> threads.add(Thread.currentThread()), result -> {});
        InOrder.map(ITEMS, 1, item -> threads.add(Thread.currentThread()), result -> {});
        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldThrowWhatTheFirstStepThrowsAndLeaveNothingRunning(int threads) {
        AtomicInteger running = new AtomicInteger();
        List<Integer> taken = new ArrayList<>();
        assertThatIOException()
                .isThrownBy(
                        () ->
                                InOrder.map(
                                        ITEMS,
                                        threads,
                                        item -> {
                                            running.incrementAndGet();
                                            try {
                                                return failing(item);
                                            } finally {
                                                running.decrementAndGet();
                                            }
                                        },
                                        taken::add))
                .withMessage("20 fails");
        assertThat(running).hasValue(0);
        assertThat(taken).isEqualTo(ITEMS.subList(0, 20));
    }

    private static int failing(int item) throws IOException {
        if (item >= 20) {
            throw new IOException(item + " fails");
        }
        return item;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldThrowErrorsOfStepsAndWhatTheTakerThrows(int threads) {
        assertThatThrownBy(
                        () ->
                                InOrder.map(
                                        ITEMS,
                                        threads,
                                        item -> {
                                            throw new StackOverflowError("deep");
                                        },
                                        result -> {}))
                .isInstanceOf(StackOverflowError.class);
        assertThatIOException()
                .isThrownBy(
                        () ->
                                InOrder.map(
                                        ITEMS,
                                        threads,
                                        item -> item,
                                        result -> {
                                            throw new IOException("full");
                                        }))
                .withMessage("full");
    }

    @Test
    void shouldStopWhenInterrupted() {
        try {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> InOrder.map(ITEMS, 2, item -> item, result -> {}))
                    .isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }
}
