package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.usage.UsageCounter;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * The counting of usage on this server, by list and for the log. While lists are open, a thread
 * brings what waits into the databases each minute, and writes a line into the log each day.
 */
public final class ServerUsage {
    private static final Logger LOGGER = LoggerFactory.getLogger(ServerUsage.class);

    /** How many entries are counted one by one for the line of a day at most; few rescue at all. */
    private static final int MAX_ENTRIES = 10_000;

    /** How many entries the line of a day names. */
    private static final int NAMED = 3;

    private final InstantSource clock;
    private final LongAdder others = new LongAdder();
    private final LongAdder listed = new LongAdder();
    private final LongAdder rescued = new LongAdder();

    /** How many recipients the administrator's entries have rescued a mail for. */
    private final Map<UsedLine, Long> rescuing = new ConcurrentHashMap<>();

    private Instant since;

    /** The counters of the lists that are open, and how the log names these. */
    private final Map<UsageCounter, String> counters = new ConcurrentHashMap<>();

    /** Those whose use could not be written last, of which the log knows. */
    private final Set<UsageCounter> failing = ConcurrentHashMap.newKeySet();

    private @Nullable ScheduledExecutorService thread;

    ServerUsage(InstantSource clock) {
        this.clock = clock;
        this.since = clock.instant();
    }

    /** Counts a mail that was judged. */
    public void judged(boolean isListed) {
        (isListed ? listed : others).increment();
    }

    /** Counts a recipient who has got a mail because of a line. */
    public void rescued(UsedLine line) {
        rescued.increment();
        if (line.origin() == Origin.ADMIN
                && (rescuing.containsKey(line) || rescuing.size() < MAX_ENTRIES)) {
            rescuing.merge(line, 1L, Long::sum);
        }
    }

    /** Begins the counting of a list. */
    @SuppressWarnings("FutureReturnValueIgnored")
    synchronized void open(UsageCounter counter, String title) {
        counters.put(counter, title);
        if (thread == null) {
            thread =
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofPlatform().daemon().name("whitelist usage").factory());
            thread.scheduleWithFixedDelay(
                    () -> counters.keySet().forEach(this::write), 1, 1, TimeUnit.MINUTES);
            thread.scheduleAtFixedRate(this::logDay, 1, 1, TimeUnit.DAYS);
        }
    }

    /** Brings what waits into the database. That it cannot is logged once, until it can. */
    void write(UsageCounter counter) {
        String title = counters.get(counter);
        try {
            counter.flush();
            if (failing.remove(counter)) {
                LOGGER.info("Usage of whitelist {} can be written again", title);
            }
        } catch (Throwable e) {
            if (title != null && failing.add(counter)) {
                Harmless.run(
                        "Logging",
                        () ->
                                LOGGER.warn(
                                        "Usage of whitelist {} cannot be written: {}. Up to {}"
                                                + " lines wait; mails are judged as before",
                                        title,
                                        e.getMessage(),
                                        UsageCounter.MAX_WAITING));
            }
        }
    }

    /** Writes the line of a day into the log if mails were judged, and begins anew. */
    synchronized void logDay() {
        Instant from = since;
        since = clock.instant();
        long ofListed = listed.sumThenReset();
        long mails = ofListed + others.sumThenReset();
        long recipients = rescued.sumThenReset();
        String most =
                rescuing.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .limit(NAMED)
                        .map(each -> Text.escaped(each.getKey() + " (" + each.getValue() + ")"))
                        .collect(Collectors.joining(", "));
        rescuing.clear();
        if (mails > 0) {
            String line =
                    "Since %s: %s mails judged, %s of listed senders; rescued for %s recipients%s"
                            .formatted(
                                    from.truncatedTo(ChronoUnit.SECONDS),
                                    mails,
                                    ofListed,
                                    recipients,
                                    most.isEmpty() ? "" : ", most by " + most);
            Harmless.run("Logging", () -> LOGGER.info(line));
        }
    }

    /** Ends the counting of a list. */
    synchronized void close(UsageCounter counter) {
        counters.remove(counter);
        failing.remove(counter);
        if (counters.isEmpty() && thread != null) {
            thread.shutdownNow();
            thread = null;
        }
    }
}
