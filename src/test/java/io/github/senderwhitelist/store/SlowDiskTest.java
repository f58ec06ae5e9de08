package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.StoreFile.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.ForwardingFile;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Tests that lookups of many threads wait for a slow disk at the same time. */
class SlowDiskTest {
    private static final int THREADS = 100;
    private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

    /** A file whose reads wait until the test lets them go on. */
    private static final class SlowFile extends ForwardingFile {
        final CountDownLatch waiting = new CountDownLatch(THREADS);
        final CountDownLatch answer = new CountDownLatch(1);

        SlowFile(DiskFile file) {
            super(file);
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            waiting.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
            return super.read(into, position);
        }
    }

    @Test
    void shouldReadForAllAtOnceAndLetNobodyWaitForAnother(@TempDir Path folder) throws Exception {
        SortedMap<Key, Boolean> entries = new TreeMap<>();
        for (int i = 0; i < 1000; i++) {
            entries.put(key("user" + i, "example.com"), false);
        }
        StoreFile written = StoreFile.write(folder.resolve("store"), entries, List.of());
        SlowFile slow = new SlowFile(Disk.LOCAL.open(written.path()));
        try (StoreFile.Opened opened = written.open(slow)) {
            List<FutureTask<@Nullable Entry>> lookups = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Key key = key("user" + 7 * i, "example.com");
                lookups.add(new FutureTask<>(() -> opened.store().find(key)));
                threads.add(new Thread(lookups.getLast()));
                threads.getLast().start();
            }
            boolean all = slow.waiting.await(60, TimeUnit.SECONDS);
            long used = threads.stream().mapToLong(SlowDiskTest::processorNanos).sum();
            slow.answer.countDown();

            assertThat(all).as("all are at the disk").isTrue();
            // A thread that spins would take processor time for as long as it waits.
            assertThat(used).isLessThan(TimeUnit.SECONDS.toNanos(10));
            for (FutureTask<@Nullable Entry> lookup : lookups) {
                assertThat(lookup.get()).isNotNull();
            }
        }
    }

    private static long processorNanos(Thread thread) {
        return TIMES.getThreadCpuTime(thread.threadId());
    }
}
