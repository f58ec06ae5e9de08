package io.github.senderwhitelist.live;

import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.live.RefreshTiming.Clock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Tells when a file that changed stands still. From one look to the next its state must be the
 * same, for long enough that its file system's clock would show another change.
 *
 * <p>A writer may pause, so a file is doubtful when it was seen to grow, or when it became shorter
 * under the same identity, as it does while it is written anew in place. A file that was renamed
 * into place is another one, and whole.
 */
final class Standstill {
    /** The time between changes that a clock with fractions of seconds tells apart. */
    static final Duration FINE = Duration.ofMillis(250);

    /** The same where the clock counts whole seconds, or two at a time as FAT does. */
    private static final Duration COARSE = Duration.ofMillis(2_250);

    private final Clock clock;

    /** The state that was read last; null when none was. */
    private @Nullable FileState read;

    /** The newest state seen, when it is another one. */
    private @Nullable FileState pending;

    private long pendingSince;
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

    /** Notes that the file was read in this state. */
    void read(FileState state) {
        read = state;
        pending = null;
    }

    /** Forgets what was seen since the file was read. */
    void settle() {
        pending = null;
    }

    /**
     * Notes the state of the file now.
     *
     * @return how long to wait for the next look; zero when the file stands still
     */
    Duration look(FileState state) {
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

    /** Returns why the file may be unfinished though it stands still, or null. */
    @Nullable String doubt() {
        return grew
                ? "it was seen to grow"
                : shrank ? "it became shorter while it was written in place" : null;
    }

    /** Returns how long the file has been in the state it is in. */
    Duration still() {
        return Duration.ofNanos(pending == null ? 0 : clock.nanos() - pendingSince);
    }

    /** Returns how long the file has been in no state that was read. */
    Duration changing() {
        return Duration.ofNanos(pending == null ? 0 : clock.nanos() - changingSince);
    }

    /** Begins to count anew how long the file has been changing. */
    void tolerate() {
        changingSince = clock.nanos();
    }

    /**
     * Returns whether a file was changed so short a time ago, by the calendar, that it may go on.
     */
    boolean isFresh(FileState state, Duration since) {
        Duration age = Duration.between(state.changed(), clock.now());
        return state.isRegular() && age.compareTo(since) < 0;
    }

    /** Returns how long a file must stay in this state to stand still. */
    static Duration settleTime(FileState state) {
        return state.isRegular()
                        && state.changed().equals(state.changed().truncatedTo(ChronoUnit.SECONDS))
                ? COARSE
                : FINE;
    }
}
