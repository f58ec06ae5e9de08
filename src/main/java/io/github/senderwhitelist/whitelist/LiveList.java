package io.github.senderwhitelist.whitelist;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A list that follows its file. A thread of its own looks at the file when the file system tells of
 * a change in its folder, and at regular times besides, because not every file system tells.
 */
public final class LiveList implements ListInForce, Closeable {
    private final Refresher refresher;
    private final ListSettings settings;
    private final @Nullable WatchService watch;
    private final Thread thread;
    private volatile boolean closed;

    /**
     * Loads a list and begins to follow it.
     *
     * @throws IOException when neither the list nor a snapshot built of it before can be loaded
     */
    public static LiveList open(ListSettings settings, RefreshListener listener)
            throws IOException {
        LiveList list = new LiveList(settings, new Refresher(settings, listener));
        list.thread.start();
        return list;
    }

    private LiveList(ListSettings settings, Refresher refresher) {
        this.settings = settings;
        this.refresher = refresher;
        this.watch = watch(settings.file());
        this.thread =
                new Thread(this::follow, "whitelist refresh of " + settings.file().getFileName());
        thread.setDaemon(true);
    }

    private static @Nullable WatchService watch(Path file) {
        try {
            Path folder = file.resolveSibling(".");
            WatchService watch = folder.getFileSystem().newWatchService();
            folder.register(
                    watch,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_DELETE);
            return watch;
        } catch (IOException | UnsupportedOperationException e) {
            // Regular looks are enough, only slower.
            return null;
        }
    }

    @Override
    public Generation current() {
        return refresher.current();
    }

    private void follow() {
        Duration wait = settings.reloadInterval();
        while (!closed) {
            try {
                await(wait);
                wait = refresher.look();
            } catch (InterruptedException | ClosedWatchServiceException e) {
                return;
            }
        }
    }

    private void await(Duration wait) throws InterruptedException {
        boolean settling = wait.compareTo(Refresher.SETTLE) <= 0;
        if (watch == null || settling) {
            Thread.sleep(wait);
            return;
        }
        WatchKey key = watch.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        if (key != null) {
            key.pollEvents();
            key.reset();
        }
    }

    /** Stops following the file and lets go of the generation; nobody may ask any more. */
    @Override
    public void close() throws IOException {
        closed = true;
        thread.interrupt();
        if (watch != null) {
            watch.close();
        }
        joinThread();
        refresher.current().retire();
    }

    private void joinThread() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
