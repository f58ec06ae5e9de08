package io.github.senderwhitelist.mailet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A thread for which time stands still until a test lets it pass. */
public final class SteppedThread extends ScheduledThreadPoolExecutor {
    private static final Duration NEVER = Duration.ofDays(1_000);

    private final List<Later> later = new ArrayList<>();
    private final AtomicInteger ran = new AtomicInteger();
    private Duration time = Duration.ZERO;

    /** What runs when it is due, unless its place in the real queue is cancelled before. */
    private record Later(Duration due, Runnable task, ScheduledFuture<?> place) {}

    public SteppedThread() {
        super(1);
        setRemoveOnCancelPolicy(true);
        setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public synchronized ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        if (delay <= 0) {
            return super.schedule(
                    () -> {
                        try {
                            task.run();
                        } finally {
                            ran.incrementAndGet();
                        }
                    },
                    delay,
                    unit);
        }
        ScheduledFuture<?> place = super.schedule(() -> {}, NEVER.toDays(), TimeUnit.DAYS);
        Duration due = time.plus(Duration.of(delay, unit.toChronoUnit()));
        later.add(new Later(due, task, place));
        return place;
    }

    /** Lets time pass, and waits for what is due in it. */
    public void pass(Duration duration) throws Exception {
        Duration end = time.plus(duration);
        boolean more = true;
        while (more) {
            more = runNext(end);
            finish();
        }
    }

    private synchronized boolean runNext(Duration end) {
        later.removeIf(each -> each.place.isDone());
        Later next =
                later.stream()
                        .filter(each -> each.due.compareTo(end) <= 0)
                        .min(Comparator.comparing(Later::due))
                        .orElse(null);
        time = next == null ? end : next.due;
        if (next != null) {
            next.place.cancel(false);
            execute(next.task);
        }
        return next != null;
    }

    /** Waits for all that is not to be done later. */
    public void finish() throws Exception {
        int before;
        do {
            before = ran.get();
            Future<?> all = submit(() -> {});
            all.get(1, TimeUnit.MINUTES);
            // What has run may have added more.
        } while (ran.get() > before + 1);
    }
}
