package io.github.senderwhitelist.refresh;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A watch for events of the file system near a file. It watches the folder of the file and the
 * folder of every symbolic link on the way to it, because a swapped link causes no event in the
 * folders that it pointed to. On a file system without events, it only waits.
 */
final class FileWatch implements Closeable {
    /** The number of links that are followed, the same as in Linux. */
    private static final int MOST_LINKS = 40;

    /** How long to collect events after the first one, since one change causes several. */
    private static final Duration BURST = Duration.ofMillis(50);

    private final Path file;
    private final @Nullable WatchService service;
    private final Map<Path, WatchKey> keys = new HashMap<>();

    FileWatch(Path file) {
        this.file = file.toAbsolutePath();
        WatchService opened;
        try {
            opened = file.getFileSystem().newWatchService();
        } catch (IOException | UnsupportedOperationException e) {
            // The list also looks at the file at regular times, so changes are only seen later.
            opened = null;
        }
        this.service = opened;
        watchFolders();
    }

    /**
     * Waits for an event near the file.
     *
     * @param wait how long at most
     * @return whether there was an event
     * @throws java.nio.file.ClosedWatchServiceException if this was closed
     */
    boolean await(Duration wait) throws InterruptedException {
        if (service == null) {
            Thread.sleep(wait);
            return false;
        }
        watchFolders();
        WatchKey key = service.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        if (key == null) {
            return false;
        }
        Thread.sleep(BURST);
        for (; key != null; key = service.poll()) {
            key.pollEvents();
            key.reset();
        }
        return true;
    }

    /** Watches the folders on the way to the file, which change when links do, and no others. */
    private void watchFolders() {
        if (service == null) {
            return;
        }
        Set<Path> folders = folders();
        keys.values().removeIf(key -> !key.isValid());
        keys.entrySet()
                .removeIf(
                        watched -> {
                            boolean gone = !folders.contains(watched.getKey());
                            if (gone) {
                                watched.getValue().cancel();
                            }
                            return gone;
                        });
        for (Path folder : folders) {
            keys.computeIfAbsent(folder, missing -> register(service, missing));
        }
    }

    /** Returns null when the folder cannot be watched. */
    private static @Nullable WatchKey register(WatchService service, Path folder) {
        try {
            return folder.register(
                    service,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_DELETE);
        } catch (IOException | UnsupportedOperationException e) {
            // The folder is missing or forbidden, or the system allows no more watches.
            return null;
        }
    }

    /** Returns the folders of the file and of the links that lead to it. */
    private Set<Path> folders() {
        Set<Path> folders = new HashSet<>();
        Path path = file;
        for (int links = 0; links < MOST_LINKS; links++) {
            Path link = firstLink(path);
            if (link == null) {
                break;
            }
            folders.add(link.resolveSibling("."));
            try {
                path =
                        link.resolveSibling(Files.readSymbolicLink(link))
                                .resolve(link.relativize(path));
            } catch (IOException e) {
                // The link was swapped just now. Its folder is watched already.
                break;
            }
        }
        folders.add(path.resolveSibling("."));
        return folders;
    }

    /** Returns the shortest part of a path that is a symbolic link, or null. */
    private static @Nullable Path firstLink(Path path) {
        for (int count = 1; count <= path.getNameCount(); count++) {
            Path part = path.getRoot().resolve(path.subpath(0, count));
            if (Files.isSymbolicLink(part)) {
                return part;
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        if (service != null) {
            service.close();
        }
    }
}
