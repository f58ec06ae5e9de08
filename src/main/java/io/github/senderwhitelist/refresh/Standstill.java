package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The test whether a changed file stands still, so that it can be read: its state is not the one in
 * which it was read last, and was the same at two looks, far enough apart that the clock of the
 * file system would show a change in between.
 *
 * <p>Since writers may pause, a file that stands still can be unfinished. It is in doubt when it
 * was seen to grow, or became shorter without being replaced, or ends within a line. An editor that
 * takes lines out in place makes the file a little shorter once: that is no reason for doubt if the
 * file is text and ends in a line end. A file that was renamed into place is another file, and
 * taken to be whole. A file in doubt must stand still for longer.
 */
final class Standstill {
    /** The time between two looks where the times of files have fractions of a second. */
    static final Duration FINE = Duration.ofMillis(250);

    /** The time between two looks where they are whole seconds, or even ones as in FAT. */
    private static final Duration COARSE = Duration.ofMillis(2_250);

    /** How long a file may change without standing still before that is reported. */
    static final Duration MAX_CHANGING = Duration.ofMinutes(1);

    private final Disk disk;
    private final Path file;
    private final Clock clock;
    private final FileList.Listener listener;

    /** The state in which the file was read last, or null before that. */
    private @Nullable FileState read;

    /** The newest state of a file that is not as read, or null. */
    private @Nullable FileState pending;

    /** When {@link #pending} was seen first, in nanoseconds of the clock. */
    private long pendingSince;

    /** When it is reported that the file does not stand still; null if it was. */
    private @Nullable Long reportAt;

    private boolean grew;

    /** How often the file became shorter in place; by a tenth or more counts twice. */
    private int shrinks;

    /** Why the file was in doubt when it last stood still, or null. */
    private @Nullable String doubt;

    Standstill(Disk disk, Path file, Clock clock, FileList.Listener listener) {
        this.disk = disk;
        this.file = file;
        this.clock = clock;
        this.listener = listener;
    }

    /** A clock that can also wait: that of servers, unless a method is overridden. */
    interface Clock {
        /** Returns nanoseconds since an arbitrary moment, as {@link System#nanoTime} does. */
        default long nanos() {
            return System.nanoTime();
        }

        /** Returns the calendar time, for comparing with the times of files. */
        default Instant now() {
            return Instant.now();
        }

        default void sleep(Duration duration) throws InterruptedException {
            Thread.sleep(duration);
        }

        /** Returns how long a file in doubt must stand still before it is read. */
        default Duration patience() {
            return Duration.ofSeconds(10);
        }
    }

    /** Returns whether this is the state that was read last. */
    boolean isRead(FileState state) {
        return state.equals(read);
    }

    /** Remembers that the file was read in this state, and forgets what was seen since. */
    void markRead(FileState state) {
        read = state;
        pending = null;
        doubt = null;
    }

    /**
     * Takes the state of the file at a look. Returns how long it must go on standing still before
     * it is read; not positive if it may be read now, or is as read.
     *
     * @throws IOException if the file cannot be read
     */
    Duration left(FileState state) throws IOException {
        if (isRead(state)) {
            markRead(state);
            return Duration.ZERO;
        }
        if (!state.equals(pending)) {
            change(state);
        }
        Duration still = Duration.ofNanos(clock.nanos() - pendingSince);
        boolean isCoarse =
                state.isRegular()
                        && state.changed().equals(state.changed().truncatedTo(ChronoUnit.SECONDS));
        Duration left = (isCoarse ? COARSE : FINE).minus(still);
        if (left.isPositive()) {
            return left;
        }
        String before = doubt;
        doubt = newDoubt();
        if (doubt == null) {
            return Duration.ZERO;
        }
        left = clock.patience().minus(still);
        if (left.isPositive() && !doubt.equals(before)) {
            listener.warned(
                    ("looks unfinished, since %s. It is taken when it has not changed for %s s. A"
                                    + " list that is written to another file and renamed into place"
                                    + " is taken at once")
                            .formatted(doubt, clock.patience().toSeconds()));
        }
        return left;
    }

    private void change(FileState state) {
        pendingSince = clock.nanos();
        if (pending == null) {
            reportAt = pendingSince + MAX_CHANGING.toNanos();
            grew = false;
            shrinks = 0;
        }
        FileState before = pending == null ? read : pending;
        if (before == null) {
            // Nobody has looked before, so the file's own time says how long it has stood still.
            long age = ChronoUnit.MILLIS.between(state.changed(), clock.now());
            pendingSince -= Math.clamp(age, 0, MAX_CHANGING.toMillis()) * 1_000_000;
        } else if (state.isSameFileAs(before)) {
            // Lines may be appended at once, but a file that grows from look to look is written.
            grew |= pending != null && state.size() > before.size();
            long lost = before.size() - state.size();
            shrinks += lost <= 0 ? 0 : lost < before.size() / 10.0 ? 1 : 2;
        }
        pending = state;
    }

    /** Returns why the file may be unfinished though it stands still, or null. */
    private @Nullable String newDoubt() throws IOException {
        try (DiskFile open = disk.open(file)) {
            long size = open.size();
            byte[] start = open.input().readNBytes(16);
            // Such data has checksums of its own.
            boolean isData = SnapshotHeader.isSnapshot(start) || TextList.isPacked(start);
            ByteBuffer last = ByteBuffer.allocate((int) Math.min(size, 1));
            open.readFully(last, size - last.capacity());
            if (grew) {
                return "it was seen to grow";
            }
            if (shrinks > (isData ? 0 : 1)) {
                return "it became shorter while it was written in place";
            }
            // Half a line can list more than was meant.
            return isData || size == 0 || last.get(0) == '\n'
                    ? null
                    : "its last line has no line end";
        }
    }

    @Nullable String doubt() {
        return doubt;
    }

    /** Returns once whether the file has been changing for so long that people should know. */
    boolean isNewlyRestless() {
        boolean isRestless = reportAt != null && clock.nanos() - reportAt > 0;
        reportAt = isRestless ? null : reportAt;
        return isRestless;
    }
}
