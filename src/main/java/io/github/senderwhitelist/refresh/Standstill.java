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
 * was seen to grow, or to become shorter without being replaced, which happens when it is
 * overwritten in place. A file that was renamed into place is another file, and taken to be whole.
 */
final class Standstill {
    /** The time between two looks where the times of files have fractions of a second. */
    static final Duration FINE = Duration.ofMillis(250);

    /** The time between two looks where they are whole seconds, or even ones as in FAT. */
    private static final Duration COARSE = Duration.ofMillis(2_250);

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
    private boolean shrank;

    Standstill(Clock clock) {
        this.clock = clock;
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
        FileState before = pending;
        if (!state.equals(before)) {
            if (before == null) {
                changingSince = now;
                grew = false;
                shrank = read != null && state.isSameFileAs(read) && state.size() < read.size();
            } else {
                grew |= state.isSameFileAs(before) && state.size() > before.size();
                shrank |= state.isSameFileAs(before) && state.size() < before.size();
            }
            pending = state;
            pendingSince = now;
            return FINE;
        }
        Duration left = settleTime(state).minusNanos(now - pendingSince);
        return settleTime(state).compareTo(FINE) > 0 && left.isPositive() ? left : Duration.ZERO;
    }

    /**
     * Returns the observation by which the file may be unfinished though it stands still, or null.
     */
    @Nullable String doubtFromLooks() {
        return grew
                ? "it was seen to grow"
                : shrank ? "it became shorter while it was written in place" : null;
    }

    /** Returns how long the file has been seen in its newest state. */
    Duration stillFor() {
        return Duration.ofNanos(pending == null ? 0 : clock.nanos() - pendingSince);
    }

    /** Returns how long the file has differed from the state that was read. */
    Duration changingFor() {
        return Duration.ofNanos(pending == null ? 0 : clock.nanos() - changingSince);
    }

    /** Measures {@link #changingFor} from now on. */
    void restartChanging() {
        changingSince = clock.nanos();
    }

    /** Returns whether the file's own time of change is younger than an age. */
    boolean isYounger(FileState state, Duration limit) {
        Duration age = Duration.between(state.changed(), clock.now());
        return state.isRegular() && age.compareTo(limit) < 0;
    }

    /** Returns how far apart two looks with this state must be for the file to stand still. */
    static Duration settleTime(FileState state) {
        return state.isRegular()
                        && state.changed().equals(state.changed().truncatedTo(ChronoUnit.SECONDS))
                ? COARSE
                : FINE;
    }
}
