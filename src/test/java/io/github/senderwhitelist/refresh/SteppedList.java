package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.refresh.Standstill.Clock;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A list on any disk that looks at its file when it is told to, by a clock that only goes on when
 * it is told to.
 */
public final class SteppedList implements SenderList, Closeable {
    private final FileList list;
    private final TestClock clock;
    private final List<String> events = new ArrayList<>();

    /**
     * Loads the list.
     *
     * @param now the time by the calendar at which the clock starts
     */
    public SteppedList(ListSettings settings, Disk disk, Instant now) throws IOException {
        this(settings, disk, new TestClock(now));
    }

    SteppedList(ListSettings settings, Disk disk, TestClock clock) throws IOException {
        this.clock = clock;
        this.list = new FileList(settings, disk, clock, eventsTo(events), new ListCounters());
    }

    /** Makes a list with a thread of its own, which takes what looks unfinished after a second. */
    static FileList follow(ListSettings settings, Collection<String> events) throws IOException {
        Clock hasty =
                new Clock() {
                    @Override
                    public Duration patience() {
                        return Duration.ofSeconds(1);
                    }
                };
        return new FileList(settings, Disk.LOCAL, hasty, eventsTo(events), new ListCounters())
                .start();
    }

    /** A clock that stands still until somebody waits for it. Waiting ends at once. */
    static final class TestClock implements Clock {
        private final @Nullable Instant start;
        private long nanos;

        /** Makes a clock that adds what was waited to a time, or to the real one if it is null. */
        TestClock(@Nullable Instant start) {
            this.start = start;
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public Instant now() {
            return (start == null ? Instant.now() : start).plusNanos(nanos);
        }

        @Override
        public void sleep(Duration duration) {
            nanos += duration.toNanos();
        }
    }

    /** Returns a listener that collects what comes of refreshes. */
    static FileList.Listener eventsTo(Collection<String> events) {
        return new FileList.Listener() {
            @Override
            public void loaded(SnapshotHeader header, @Nullable BuildReport report) {
                events.add("loaded " + header.entries() + (report == null ? "" : " built"));
            }

            @Override
            public void warned(String warning) {
                events.add("warned " + warning);
            }

            @Override
            public void refused(String active, String reason, @Nullable Throwable cause) {
                events.add("refused " + reason);
            }
        };
    }

    static Verdict check(SenderList list, String sender) {
        return new PlainWhitelist(List.of(list), Subaddressing.NONE)
                .check(SmallLists.address(sender));
    }

    static boolean isListed(SenderList list, String sender) {
        return check(list, sender) instanceof Listed;
    }

    Duration look() {
        return list.look();
    }

    /** Looks as the thread of a list does, until that time has passed. */
    public void pass(Duration time) {
        long end = clock.nanos() + time.toNanos();
        while (clock.nanos() < end) {
            Duration wait = list.look();
            Duration left = Duration.ofNanos(end - clock.nanos());
            clock.sleep(wait.compareTo(left) < 0 ? wait : left);
        }
        list.look();
    }

    ListStatus reload() throws IOException {
        return list.reload();
    }

    public ListStatus status() {
        return list.status();
    }

    /** Returns what came of each refresh, and what was warned of. */
    List<String> events() {
        return events;
    }

    /** Returns why the list was not taken, one message each time the listener was called. */
    public List<String> refusals() {
        return events.stream()
                .filter(event -> event.startsWith("refused "))
                .map(event -> event.substring("refused ".length()))
                .toList();
    }

    @Override
    public Generation current() {
        return list.current();
    }

    @Override
    public void close() {
        list.close();
    }
}
