package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** The contract of filters that hashes can be added to. */
abstract class UpdatableFilterContract extends FilterContract {

    final UpdatableFilter empty(double p, long n) {
        return (UpdatableFilter) FilterSize.ofRate(p).shape(kind(), n).create();
    }

    @Test
    void shouldHaveWhatWasAddedAtOnce() {
        UpdatableFilter filter = empty(0.01, 20_000);
        for (long hash : hashes(21, 20_000)) {
            filter.add(hash);
            assertThat(filter.mightContain(hash)).isTrue();
        }
        requireAll(filter, hashes(21, 20_000));
    }

    /** A filter that was read from its words goes on as the one it was written from. */
    @Test
    void shouldGoOnAfterItWasReadIn() {
        long[] hashes = hashes(22, 30_000);
        UpdatableFilter whole = empty(0.01, 20_000);
        UpdatableFilter first = empty(0.01, 20_000);
        for (int i = 0; i < 15_000; i++) {
            whole.add(hashes[i]);
            first.add(hashes[i]);
        }
        UpdatableFilter second = (UpdatableFilter) first.shape().create();
        second.read(0, java.nio.LongBuffer.wrap(words(first)));
        for (int i = 15_000; i < hashes.length; i++) {
            whole.add(hashes[i]);
            second.add(hashes[i]);
        }
        requireAll(second, hashes);
        assertThat(second.shape()).isEqualTo(whole.shape());
        assertThat(words(second)).isEqualTo(words(whole));
    }

    /** Readers find all that was in the filter before, while one thread adds more. */
    @Test
    void shouldNotHideAnythingFromReadersMeanwhile() throws Exception {
        int n = 40_000;
        long[] stable = hashes(23, n / 2);
        UpdatableFilter filter = empty(0.01, n);
        for (long hash : stable) {
            filter.add(hash);
        }
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService readers = Executors.newFixedThreadPool(2)) {
            List<Future<?>> results = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                results.add(
                        readers.submit(
                                () -> {
                                    while (!done.get()) {
                                        requireAll(filter, stable);
                                    }
                                }));
            }
            try {
                update(filter, n / 2);
            } finally {
                done.set(true);
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        requireAll(filter, stable);
    }

    /** Adds hashes in small steps, which takes long enough for readers to come in between. */
    void update(UpdatableFilter filter, int count) {
        SplittableRandom random = new SplittableRandom(24);
        for (int i = 0; i < count; i++) {
            filter.add(random.nextLong());
        }
    }
}
