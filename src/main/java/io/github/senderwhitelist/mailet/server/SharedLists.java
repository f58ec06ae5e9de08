package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.settings.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.NamedLists;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.refresh.FileList;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The lists of this server. Mailets and matchers that use a list with equal settings share one copy
 * in memory and one thread that refreshes it; lists in the same database share its connections. The
 * list is closed when the last of them has released it.
 *
 * <p>James forgets to destroy matchers within And, Or and Not. So when it stops, what matters is
 * brought to the disk at the beginning, while mails still come in, and all lists are closed once it
 * destroys mailets and matchers: no mail is judged any more then.
 */
@Singleton
public final class SharedLists implements OpenLists {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    private final WhitelistMetrics metrics;
    private final NamedLists named;
    private final RecipientUsers users;
    private final Judges judges = new Judges();
    private final StopTime stop = new StopTime();

    /** The databases of the lists that are open. */
    private final Map<DatabaseSource, Database> databases = new ConcurrentHashMap<>();

    /** How many mailets and matchers use each list that is open. */
    private final Map<ListDefinition, Integer> uses = new HashMap<>();

    /** The lists that are open, for reading without the lock, which is held to open a list. */
    private volatile Map<ListDefinition, SenderList> open = Map.of();

    /** What is run before a use of a list ends, by the names of lists. */
    private final List<Map.Entry<String, Runnable>> beforeReleases = new CopyOnWriteArrayList<>();

    /** How many mailets may still change a list. */
    private final AtomicInteger changers = new AtomicInteger();

    /** Makes the lists for James, whose injector calls this. */
    @Inject
    public SharedLists(WhitelistMetrics metrics, NamedLists named, RecipientAliases aliases) {
        this(metrics, named, (RecipientUsers) aliases);
    }

    /** Takes the users of a test. */
    public SharedLists(WhitelistMetrics metrics, NamedLists named, RecipientUsers users) {
        this.metrics = metrics;
        this.named = named;
        this.users = users;
    }

    /** Returns what finds the users that recipients belong to. */
    public RecipientUsers users() {
        return users;
    }

    /** Returns the lists that are defined by name. */
    public NamedLists named() {
        return named;
    }

    @Override
    public Judges judges() {
        return judges;
    }

    /** Returns the server's metrics, which count verdicts. */
    public WhitelistMetrics metrics() {
        return metrics;
    }

    /**
     * Returns the list of this definition, and opens it if it has no user yet. Every user must
     * {@link #release} it. A database on another server need not be there yet.
     *
     * @throws IOException if the list cannot be opened: neither a file nor its last good snapshot
     *     can be loaded, or the file of a database cannot be opened
     */
    public synchronized SenderList acquire(ListDefinition definition) throws IOException {
        SenderList list = open.get(definition);
        if (list == null) {
            list =
                    switch (definition) {
                        case OfFile file -> open(file);
                        case Living living -> open(living);
                    };
            Map<ListDefinition, SenderList> now = new LinkedHashMap<>(open);
            now.put(definition, list);
            open = now;
        }
        uses.merge(definition, 1, Integer::sum);
        return list;
    }

    private FileList open(OfFile definition) throws IOException {
        FileList list =
                FileList.open(
                        definition.settings(),
                        new ListLog(definition.title()),
                        new ListCounters(metrics.lookupTimer()));
        metrics.files().show(definition.name(), list);
        return list;
    }

    private LivingList open(Living definition) throws IOException {
        Database database = databases.get(definition.database());
        if (database == null) {
            database = definition.database().open();
            databases.put(definition.database(), database);
        }
        LivingList list =
                LivingList.open(
                        definition.settings(),
                        database.record(definition.name()),
                        definition.base(),
                        new ListLog(definition.title()),
                        new ListCounters(metrics.lookupTimer()));
        metrics.living().show(definition.name(), list);
        return list;
    }

    /**
     * Returns a list in a database for a mailet that changes it, as {@link #acquire} does. Every
     * such mailet must {@link #releaseLiving} it.
     *
     * @param owner the mailet whose parameter names the list, for messages
     * @throws SettingException if the list cannot be opened
     */
    public LivingList acquireLiving(String owner, Living definition) throws SettingException {
        try {
            LivingList list = (LivingList) acquire(definition);
            changers.incrementAndGet();
            return list;
        } catch (IOException e) {
            throw new SettingException(
                    owner + ": parameter " + ListParameters.LIST + ": " + e.getMessage(), e);
        }
    }

    /** Runs this each time before a use of a list ends, while the list is still open. */
    public void beforeRelease(String list, Runnable task) {
        beforeReleases.add(Map.entry(list, task));
    }

    /**
     * Ends one use of a list, and closes the list after its last use. If it cannot be closed, that
     * is logged.
     */
    public void release(ListDefinition definition) {
        stop.run(
                () -> {
                    writeWhatWaits(definition);
                    end(definition);
                });
    }

    /** Ends the use of a list by a mailet that has changed it, as {@link #release} does. */
    public void releaseLiving(ListDefinition definition) {
        changers.decrementAndGet();
        release(definition);
    }

    private synchronized void end(ListDefinition definition) {
        Integer left = uses.computeIfPresent(definition, (same, count) -> count - 1);
        if (stop.hasBegun() && changers.get() == 0) {
            open.keySet().forEach(this::close);
        } else if (left != null && left == 0) {
            close(definition);
        }
    }

    private void close(ListDefinition definition) {
        uses.remove(definition);
        Map<ListDefinition, SenderList> now = new LinkedHashMap<>(open);
        SenderList list = now.remove(definition);
        open = now;
        try {
            close(definition.name(), list);
        } catch (IOException | RuntimeException e) {
            LOGGER.warn("Whitelist {} could not be closed: {}", definition.title(), e.toString());
            LOGGER.debug("Whitelist {} could not be closed", definition.title(), e);
        }
    }

    private void close(String name, @Nullable SenderList list) throws IOException {
        try {
            if (list instanceof FileList file) {
                metrics.files().hide(name);
                file.close();
            } else if (list instanceof LivingList living) {
                metrics.living().hide(name);
                living.close();
            }
        } finally {
            closeUnused();
        }
    }

    /** Closes the databases of which no list is open. */
    private void closeUnused() {
        for (DatabaseSource source : List.copyOf(databases.keySet())) {
            boolean isUsed =
                    open.keySet().stream()
                            .anyMatch(
                                    list ->
                                            list instanceof Living living
                                                    && living.database().equals(source));
            Database database = isUsed ? null : databases.remove(source);
            if (database != null) {
                database.close();
            }
        }
    }

    /**
     * Brings to the disk what waits and what has changed. James calls this first when it stops.
     * Mails still come in, so the lists answer and change as before.
     */
    @PreDestroy
    public void prepareToStop() {
        stop.begin();
        stop.run(
                () -> {
                    // Each by itself: a database that does not answer takes all the time.
                    try (ExecutorService each =
                            Executors.newThreadPerTaskExecutor(
                                    Thread.ofPlatform().daemon().factory())) {
                        open.forEach((of, list) -> each.execute(() -> prepare(of, list)));
                    }
                });
    }

    private void prepare(ListDefinition definition, SenderList list) {
        settle(definition, list);
        // This may take all the time.
        writeWhatWaits(definition);
        settle(definition, list);
    }

    private void settle(ListDefinition definition, SenderList list) {
        if (definition instanceof Living living && list instanceof LivingList of) {
            Harmless.run("Preparing to stop", of::settle);
            Database database = databases.get(living.database());
            if (database != null) {
                Harmless.run("Preparing to stop", database::keepNoneOpen);
            }
        }
    }

    private void writeWhatWaits(ListDefinition definition) {
        for (Map.Entry<String, Runnable> each : beforeReleases) {
            if (each.getKey().equals(definition.name())) {
                Harmless.run("Writing what waits", each.getValue());
            }
        }
    }

    /**
     * Runs a part of a stop, and returns when it has ended, or all that a stop may take is used up.
     * What is not done then ends with the server. What is no part of a stop has all the time.
     */
    public void inTime(Runnable part) {
        stop.run(part);
    }

    /** Returns whether there are no lists. */
    public boolean isEmpty() {
        return open.isEmpty();
    }

    /** Returns one line for each list that has a problem, with its name if it has one. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        open.forEach(
                (definition, list) -> {
                    String problem = problem(list);
                    if (problem != null) {
                        String name = definition.name();
                        problems.add(ListName.hasForm(name) ? name + ": " + problem : problem);
                    }
                });
        return problems;
    }

    private static @Nullable String problem(SenderList list) {
        if (list instanceof LivingList living) {
            LivingStatus status = living.status();
            return status.degraded() && status.problem() == null
                    ? "the latest changes are not known"
                    : status.degraded() ? status.problem() : null;
        }
        return list instanceof FileList file ? file.status().problem() : null;
    }

    @Override
    public @Nullable LivingList living(String name) {
        return byName(LivingList.class).get(name);
    }

    @Override
    public SortedSet<String> livingNames() {
        return new TreeSet<>(byName(LivingList.class).keySet());
    }

    @Override
    public SortedMap<String, FileList> files() {
        return byName(FileList.class);
    }

    private <L> SortedMap<String, L> byName(Class<L> kind) {
        SortedMap<String, L> found = new TreeMap<>();
        open.forEach(
                (definition, list) -> {
                    if (kind.isInstance(list)) {
                        found.put(definition.name(), kind.cast(list));
                    }
                });
        return found;
    }
}
