package io.github.senderwhitelist.mailet.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Things that several users share. Each is opened for its first user and closed when its last user
 * has released it.
 *
 * @param <K> what a thing is opened from; users with equal ones share the thing
 * @param <T> the things
 */
final class Shared<K, T extends Closeable> {
    private final Map<K, Use<T>> uses = new HashMap<>();

    /** All that is open, for reading without the lock, which is held while a thing is opened. */
    private volatile Map<K, T> open = Map.of();

    /** Opens a thing. */
    @FunctionalInterface
    interface Opener<K, T> {
        T open(K from) throws IOException;
    }

    /** A thing and the number of its users. */
    private static final class Use<T> {
        final T thing;
        int users;

        Use(T thing) {
            this.thing = thing;
        }
    }

    /**
     * Returns a thing, and opens it if it has no user yet. Every user must {@link #release} it.
     *
     * @throws IOException if it cannot be opened
     */
    synchronized T acquire(K from, Opener<K, T> opener) throws IOException {
        Use<T> use = uses.get(from);
        if (use == null) {
            use = new Use<>(opener.open(from));
            uses.put(from, use);
            showOpen();
        }
        use.users++;
        return use.thing;
    }

    /** Ends one use of a thing, and closes it after its last use. */
    synchronized void release(K from) throws IOException {
        Use<T> use = uses.get(from);
        if (use != null && --use.users == 0) {
            close(from);
        }
    }

    /** Closes a thing, whoever still uses it. */
    synchronized void close(K from) throws IOException {
        Use<T> use = uses.remove(from);
        if (use != null) {
            showOpen();
            use.thing.close();
        }
    }

    private void showOpen() {
        Map<K, T> now = new LinkedHashMap<>();
        uses.forEach((from, use) -> now.put(from, use.thing));
        open = now;
    }

    /** Returns all that is open, by what it was opened from. */
    Map<K, T> open() {
        return open;
    }
}
