package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.usage.DayFigures;
import io.github.senderwhitelist.usage.UsageCounter;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The counting of usage on this server. While lists are open, a thread brings what waits into the
 * databases each minute, and writes a line into the log each day. Lists in files have a database in
 * their work directory, which is opened when it is needed first.
 */
final class ServerUsage {
    private static final Logger LOGGER = LoggerFactory.getLogger(ServerUsage.class);

    private final InstantSource clock;
    private final DayFigures day;

    /** The counters of the lists that are open, and how the log names these. */
    private final Map<UsageCounter, String> counters = new ConcurrentHashMap<>();

    /** Those whose use could not be written last, of which the log knows. */
    private final Set<UsageCounter> failing = ConcurrentHashMap.newKeySet();

    /** The databases of lists in files. */
    private final Map<DatabaseSource, Database> ofFiles = new HashMap<>();

    private @Nullable ScheduledExecutorService thread;

    ServerUsage(InstantSource clock) {
        this.clock = clock;
        this.day = new DayFigures(clock);
    }

    DayFigures day() {
        return day;
    }

    UsageCounter ofFile(OfFile definition, FileList list) {
        return opened(
                definition.title(),
                new UsageCounter(() -> table(definition.usage(), definition), list, clock));
    }

    UsageCounter ofLiving(Living definition, Database database) {
        return opened(
                definition.title(),
                new UsageCounter(() -> database.usage(definition.name()), null, clock));
    }

    private synchronized UsageTable table(DatabaseSource source, OfFile definition)
            throws IOException {
        Database database = ofFiles.get(source);
        if (database == null) {
            database = source.open();
            ofFiles.put(source, database);
        }
        // The name depends on parameters, the path does not.
        String list = definition.source().toString();
        database.record(list).create();
        return database.usage(list);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private synchronized UsageCounter opened(String title, UsageCounter counter) {
        counters.put(counter, title);
        if (thread == null) {
            thread =
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofPlatform().daemon().name("whitelist usage").factory());
            thread.scheduleWithFixedDelay(
                    () -> counters.keySet().forEach(this::write), 1, 1, TimeUnit.MINUTES);
            thread.scheduleAtFixedRate(this::logDay, 1, 1, TimeUnit.DAYS);
        }
        return counter;
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

    /** Writes the line of a day into the log. */
    void logDay() {
        Harmless.run(
                "Logging",
                () -> {
                    String line = day.take();
                    if (line != null) {
                        LOGGER.info(line);
                    }
                });
    }

    /** Ends the counting of a list. */
    synchronized void close(UsageCounter counter) {
        counters.remove(counter);
        failing.remove(counter);
        if (counters.isEmpty() && thread != null) {
            thread.shutdownNow();
            thread = null;
            ofFiles.values().forEach(Database::close);
            ofFiles.clear();
        }
    }
}
