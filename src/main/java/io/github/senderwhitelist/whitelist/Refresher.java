package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.SnapshotBuilder.Admission;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.whitelist.ListLoader.Loaded;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * Keeps one list up to date, one look at a time. A file is read when two looks found it in the same
 * new state, and what was read counts only when the file is still in that state afterwards. What is
 * refused leaves the generation in force.
 *
 * <p>{@link #current} is for any thread, the rest for one at a time.
 */
final class Refresher implements ListInForce {
    /** How long a changed file must stand still before it is read. */
    static final Duration SETTLE = Duration.ofMillis(250);

    private final ListSettings settings;
    private final ListLoader loader;
    private final RefreshListener listener;
    private volatile Generation current;

    /** The state of the file that was loaded or refused last. */
    private FileState settled;

    /** A newer state seen by the last look, or null. */
    private @Nullable FileState pending;

    /**
     * Loads the list; when that fails, the last snapshot built of it.
     *
     * @throws IOException when there is neither
     */
    Refresher(ListSettings settings, RefreshListener listener) throws IOException {
        this.settings = settings;
        this.listener = listener;
        this.loader = new ListLoader(settings);
        this.settled = FileState.of(settings.file());
        Generation last = loader.lastGood();
        Generation first;
        try {
            Loaded loaded = loader.load(notMuchSmallerThan(last));
            first = loaded.generation();
            listener.loaded(settings.file(), first.header(), loaded.report());
            if (last != null) {
                last.retire();
            }
        } catch (IOException e) {
            if (last == null) {
                throw e;
            }
            first = last;
            listener.refused(settings.file(), describe(first), reason(settings.file(), e));
        }
        this.current = first;
    }

    @Override
    public Generation current() {
        return current;
    }

    /**
     * Looks at the file, refreshes the list if it changed, and returns how long to wait for the
     * next look.
     */
    Duration look() {
        FileState now = FileState.of(settings.file());
        if (now.equals(settled)) {
            pending = null;
            return settings.reloadInterval();
        }
        if (!now.equals(pending)) {
            pending = now;
            return SETTLE;
        }
        refresh(now);
        return pending == null ? settings.reloadInterval() : SETTLE;
    }

    private void refresh(FileState state) {
        try {
            Loaded loaded = loader.load(notMuchSmallerThan(current));
            FileState after = FileState.of(settings.file());
            if (!after.equals(state)) {
                // Changed while it was read: what was read may be half of each.
                loaded.generation().retire();
                pending = after;
                return;
            }
            Generation old = current;
            current = loaded.generation();
            old.retire();
            listener.loaded(settings.file(), current.header(), loaded.report());
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // Whatever went wrong, the generation in force must go on being refreshed.
            listener.refused(settings.file(), describe(current), reason(settings.file(), e));
        }
        settled = state;
        pending = null;
    }

    private Admission notMuchSmallerThan(@Nullable Generation generation) {
        long before = generation == null ? 0 : generation.header().entries();
        long least = (long) Math.ceil(before * (1 - settings.maxShrink()));
        return next -> {
            if (next.entries() < least) {
                throw new ListRefusedException(
                        settings.file()
                                + ": only "
                                + next.entries()
                                + " entries after "
                                + before
                                + ", fewer than maxShrink allows. If that is meant, raise"
                                + " maxShrink, or remove them in several steps");
            }
        };
    }

    private static String reason(Path file, Throwable e) {
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        return message.contains(file.toString())
                ? message
                : file + ": " + message + " (" + e.getClass().getSimpleName() + ")";
    }

    private static String describe(Generation generation) {
        SnapshotHeader header = generation.header();
        return header.entries()
                + " entries"
                + (header.buildTime() == 0
                        ? ""
                        : " of " + Instant.ofEpochMilli(header.buildTime()));
    }
}
