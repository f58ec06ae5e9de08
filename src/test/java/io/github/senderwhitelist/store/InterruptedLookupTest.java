package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.StoreFile.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/** Interrupts lookups, each of which closes the open file. */
class InterruptedLookupTest {
    private static final int ROUNDS = 100;

    @Test
    void shouldGoOnAnsweringOtherThreads(@TempDir Path folder) throws Exception {
        SortedMap<Key, Boolean> entries = new TreeMap<>();
        for (int i = 0; i < 1000; i++) {
            entries.put(key("user" + i, "example.com"), false);
        }
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, List.of());
        try (StoreFile.Opened opened = file.open()) {
            BlockStore store = opened.store();
            Thread asker = new Thread(() -> ask(store, entries));
            asker.start();
            while (asker.isAlive()) {
                asker.interrupt();
                LockSupport.parkNanos(1);
            }
            asker.join();
            for (int i = 0; i < 64; i++) {
                FutureTask<@Nullable Entry> other =
                        new FutureTask<>(() -> store.find(entries.firstKey()));
                Thread thread = new Thread(other);
                thread.start();
                assertThat(other.get()).isNotNull();
            }
        }
    }

    private static void ask(BlockStore store, SortedMap<Key, Boolean> entries) {
        int failures = 0;
        for (int i = 0; i < ROUNDS && failures < 1000; i++) {
            for (Key key : entries.keySet()) {
                try {
                    store.find(key);
                } catch (IOException e) {
                    // This lookup was interrupted; only the others must succeed.
                    failures++;
                }
            }
        }
    }
}
