package io.github.senderwhitelist.live;

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
 * Waits for a change of a file, with the help of the file system where it gives any: the folder of
 * the file is watched, and that of every symbolic link on the way to it, because a swapped link
 * changes nothing in the folders behind it.
 */
final class FileWatch implements Closeable {
    /** As many links as Linux follows. */
    private static final int MOST_LINKS = 40;

    /** Events come in swarms; one look is enough for those of this time. */
    private static final Duration SWARM = Duration.ofMillis(50);

    private final Path file;
    private final @Nullable WatchService service;
    private final Map<Path, WatchKey> keys = new HashMap<>();

    FileWatch(Path file) {
        this.file = file.toAbsolutePath();
        WatchService opened;
        try {
            opened = file.getFileSystem().newWatchService();
        } catch (IOException | UnsupportedOperationException e) {
            // Regular looks are enough, only slower.
            opened = null;
        }
        this.service = opened;
        follow();
    }

    /**
     * Waits until something happened near the file, at most so long.
     *
     * @return whether something did
     */
    boolean await(Duration wait) throws InterruptedException {
        if (service == null) {
            Thread.sleep(wait);
            return false;
        }
        follow();
        WatchKey key = service.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        if (key == null) {
            return false;
        }
        Thread.sleep(SWARM);
        for (; key != null; key = service.poll()) {
            key.pollEvents();
            key.reset();
        }
        return true;
    }

    /** Watches the folders that count now, and no others. */
    private void follow() {
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

    private static @Nullable WatchKey register(WatchService service, Path folder) {
        try {
            return folder.register(
                    service,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_DELETE);
        } catch (IOException | UnsupportedOperationException e) {
            // Not there, not allowed, or the system's limit of watches is reached.
            return null;
        }
    }

    /** The folders of the file and of the links that lead to it. */
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
                // Swapped this moment; the folder it is in is watched.
                break;
            }
        }
        folders.add(path.resolveSibling("."));
        return folders;
    }

    /** The first part of a path that is a symbolic link, or null. */
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
