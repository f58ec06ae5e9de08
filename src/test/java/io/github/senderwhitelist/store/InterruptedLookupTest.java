package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.StoreFile.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/** Interrupts lookups while another file, or none, has the name of the open one. */
class InterruptedLookupTest {
    private static final int ROUNDS = 100;

    enum Fate {
        STAYS,
        IS_REPLACED,
        IS_DELETED
    }

    @ParameterizedTest
    @EnumSource(Fate.class)
    void shouldGoOnAnsweringOtherThreads(Fate fate, @TempDir Path folder) throws Exception {
        SortedMap<Key, Boolean> entries = new TreeMap<>();
        for (int i = 0; i < 1000; i++) {
            entries.put(key("user" + i, "example.com"), false);
        }
        StoreFile file = StoreFile.write(folder.resolve("store"), entries, List.of());
        try (StoreFile.Opened opened = file.open()) {
            BlockStore store = opened.store();
            switch (fate) {
                case STAYS -> {}
                case IS_REPLACED ->
                        Files.move(
                                Files.writeString(folder.resolve("other"), "other"),
                                file.path(),
                                StandardCopyOption.REPLACE_EXISTING);
                case IS_DELETED -> Files.delete(file.path());
            }
            Thread asker = new Thread(() -> ask(store, entries));
            asker.start();
            while (asker.isAlive()) {
                asker.interrupt();
                LockSupport.parkNanos(1);
            }
            asker.join();
            // There are more threads than open handles.
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
