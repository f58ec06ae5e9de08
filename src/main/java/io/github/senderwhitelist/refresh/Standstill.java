package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.refresh.RefreshTiming.Clock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * The test whether a changed file stands still, so that it can be read. A file stands still when
 * its state was the same at two looks, far enough apart that the clock of its file system would
 * show a change in between.
 *
 * <p>Since writers may pause, a file that stands still can be unfinished. It is in doubt when it
 * was seen to grow, or became shorter without being replaced, or ends within a line. An editor that
 * takes lines out in place makes the file a little shorter once: that is no reason for doubt if the
 * file is text and ends in a line end. A file that was renamed into place is another file, and
 * taken to be whole.
 */
final class Standstill {
    /** The time between two looks where the times of files have fractions of a second. */
    static final Duration FINE = Duration.ofMillis(250);

    /** The time between two looks where they are whole seconds, or even ones as in FAT. */
    private static final Duration COARSE = Duration.ofMillis(2_250);

    /** A file that loses less than this part of its length at once is a little shorter. */
    private static final int LITTLE = 10;

    private final Clock clock;

    /** The state in which the file was read last, or null. */
    private @Nullable FileState read;

    /** The newest state seen that differs from {@link #read}, or null. */
    private @Nullable FileState pending;

    /** When {@link #pending} was seen first, in nanoseconds of the clock. */
    private long pendingSince;

    /** When the file was first seen to differ from {@link #read}. */
    private long changingSince;

    private boolean grew;
    private boolean shrankALittle;
    private boolean shrank;

    Standstill(Clock clock) {
        this.clock = clock;
    }

    /** The end of a file, as far as it shows whether the file is whole. */
    enum Ending {
        /** Text that ends in a line end, or nothing. */
        LINE_END,
        /** Text that may be cut within a line. Half a line can list more than was meant. */
        WITHIN_LINE,
        /** Data that has checksums of its own. */
        DATA
    }

    /** Returns whether this is the state that was read last. */
    boolean isRead(FileState state) {
        return state.equals(read);
    }

    /** Remembers that the file was read in this state. */
    void markRead(FileState state) {
        read = state;
        pending = null;
    }

    /** Forgets the changes seen since the file was read. */
    void forgetPending() {
        pending = null;
    }

    /**
     * Remembers the state of the file at a look.
     *
     * @return how long to wait for the next look; zero when the file stands still
     */
    Duration observe(FileState state) {
        long now = clock.nanos();
        if (state.equals(pending)) {
            Duration settle = settleTime(state);
            Duration left = settle.minusNanos(now - pendingSince);
            return settle.compareTo(FINE) > 0 && left.isPositive() ? left : Duration.ZERO;
        }
        FileState before = pending == null ? read : pending;
        if (pending == null) {
            changingSince = now;
            grew = false;
            shrankALittle = false;
            shrank = false;
        }
        if (before != null && state.isSameFileAs(before)) {
            // Lines may be appended at once, but a file that grows from look to look is written.
            grew |= pending != null && state.size() > before.size();
            noteLoss(before.size() - state.size(), before.size());
        }
        pending = state;
        pendingSince = now;
        return FINE;
    }

    private void noteLoss(long lost, long of) {
        if (lost > 0) {
            shrank |= shrankALittle || lost * LITTLE >= of;
            shrankALittle = true;
        }
    }

    /** Returns why the file may be unfinished though it stands still, or null. */
    @Nullable String doubt(Ending ending) {
        if (grew) {
            return "it was seen to grow";
        }
        if (shrank || (shrankALittle && ending == Ending.DATA)) {
            return "it became shorter while it was written in place";
        }
        return ending == Ending.WITHIN_LINE ? "its last line has no line end" : null;
    }

    /** Returns how long the file has been seen in its newest state. */
    Duration stillFor() {
        return Duration.ofNanos(pending == null ? 0 : clock.nanos() - pendingSince);
    }

    /**
     * Returns whether the file has differed from the state that was read for longer than a time.
     * After that, this is measured anew.
     */
    boolean hasChangedFor(Duration time) {
        long now = clock.nanos();
        if (pending == null || now - changingSince <= time.toNanos()) {
            return false;
        }
        changingSince = now;
        return true;
    }

    /** Returns whether the file's own time of change is at least so long ago, or it has none. */
    boolean isOlder(FileState state, Duration limit) {
        Duration age = Duration.between(state.changed(), clock.now());
        return !state.isRegular() || age.compareTo(limit) >= 0;
    }

    /** Returns how far apart two looks with this state must be for the file to stand still. */
    static Duration settleTime(FileState state) {
        return state.isRegular()
                        && state.changed().equals(state.changed().truncatedTo(ChronoUnit.SECONDS))
                ? COARSE
                : FINE;
    }
}
