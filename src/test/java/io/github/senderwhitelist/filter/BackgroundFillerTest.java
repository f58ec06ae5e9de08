package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;
import io.github.senderwhitelist.disk.Scratch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

@Timeout(600)
class BackgroundFillerTest {
    private static final long MEMORY = 1L << 20;

    /** So many that batches are used again many times. */
    private static final int MANY = 1_000_000;

    private final FaultyDisk disk = new FaultyDisk(Disk.LOCAL);

    @TempDir private Path folder;

    private FilterFiller filler(FilterShape shape) {
        return FilterFiller.of(shape, MEMORY, new Scratch(disk, folder));
    }

    private static void add(FilterFiller filler, int count) throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < count; i++) {
            filler.add(random.nextLong());
        }
    }

    private static long[] bits(FilterFiller filler, FilterShape shape, int count)
            throws IOException {
        try (filler) {
            add(filler, count);
            assertThat(filler.fits(shape)).isTrue();
            return FilterContract.words(filler.finish(shape));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BLOCKED", "RIBBON"})
    void shouldMakeTheSameFilter(FilterKind kind) throws IOException {
        // Around the sizes of batches, and many.
        for (int count : new int[] {0, 1, 4095, 4096, 4097, 3 * 4096, MANY}) {
            FilterShape shape = FilterSize.ofRate(0.01).shape(kind, Math.max(1, count));
            assertThat(bits(filler(shape).inBackground(), shape, count))
                    .isEqualTo(bits(filler(shape), shape, count));
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("whitelist filter"));
    }

    @Test
    void shouldReportHowFarAStaticFilterIs() throws IOException {
        FilterShape shape = FilterSize.ofRate(0.01).shape(FilterKind.RIBBON, MANY);
        List<Long> told = new ArrayList<>();
        try (FilterFiller filler = filler(shape).inBackground()) {
            add(filler, MANY);
            filler.finish(shape, told::add);
        }
        assertThat(told).isSorted().hasSizeGreaterThan(100).endsWith((long) MANY);
    }

    @Test
    void shouldSayWhatFailedAndEnd() throws IOException {
        FilterShape shape = FilterSize.ofRate(0.01).shape(FilterKind.RIBBON, MANY);
        disk.arm(Fault.FULL, 1, true);
        try (FilterFiller filler = filler(shape).inBackground()) {
            assertThatIOException()
                    .isThrownBy(
                            () -> {
                                add(filler, MANY);
                                filler.finish(shape);
                            })
                    .withMessageContaining(FaultyDisk.FULL);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void shouldEndWhenNobodyFinishesOrWhenInterrupted() throws IOException {
        FilterShape shape = FilterSize.ofRate(0.01).shape(FilterKind.BLOCKED, MANY);
        try (FilterFiller filler = filler(shape).inBackground()) {
            add(filler, 10_000);
        }
        try (FilterFiller filler = filler(shape).inBackground()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> add(filler, MANY)).isInstanceOf(InterruptedIOException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("whitelist filter"));
    }
}
