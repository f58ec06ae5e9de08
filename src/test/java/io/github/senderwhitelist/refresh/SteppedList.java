package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A list on any disk that looks at its file when it is told to, by a clock that only goes on when
 * it is told to. For tests of other rooms.
 */
public final class SteppedList implements SenderList, Closeable {
    private final FileList refresher;
    private final TestClock clock;
    private final List<String> refusals = new ArrayList<>();

    /**
     * Loads the list.
     *
     * @param now the time by the calendar at which the clock starts
     */
    public SteppedList(ListSettings settings, Disk disk, Instant now) throws IOException {
        clock = new TestClock(now);
        refresher =
                new FileList(
                        settings,
                        disk,
                        new RefreshTiming(Duration.ofSeconds(10), Duration.ofMinutes(1), clock),
                        ListFiles.refusalsTo(refusals),
                        new ListCounters());
    }

    /** Looks at the file once; returns how long to wait for the next look. */
    public Duration look() {
        return refresher.look();
    }

    /** Lets time pass. */
    public void pass(Duration time) {
        clock.pass(time);
    }

    /** Returns the state of the list. */
    public ListStatus status() {
        return refresher.status();
    }

    /** Returns why the list was not taken, one message each time the listener was called. */
    public List<String> refusals() {
        return refusals;
    }

    @Override
    public Generation current() {
        return refresher.current();
    }

    @Override
    public void close() {
        refresher.close();
    }
}
