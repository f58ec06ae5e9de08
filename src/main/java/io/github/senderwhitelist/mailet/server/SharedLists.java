package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.learning.DeletedUsers.Users;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.mail.MissingResults;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The lists of this server. Mailets and matchers that use a list with equal settings share one copy
 * in memory and one thread that refreshes it. The list is closed when the last of them has released
 * it.
 *
 * <p>James forgets to destroy matchers within And, Or and Not. So when it stops, what matters is
 * brought to the disk at the beginning, while mails still come in, and all lists are closed once it
 * destroys mailets and matchers: no mail is judged any more then.
 */
@Singleton
public final class SharedLists implements OpenLists {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    /**
     * How long James waits for the lists at a stop, in all. Containers are often killed after ten
     * seconds, of which James needs some for itself.
     */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(5);

    private final WhitelistMetrics metrics;
    private final NamedLists named;
    private final RecipientUsers users;
    private final Users usersThatAre;
    private final MissingResults missingResults = new MissingResults();
    private final Shared<DatabaseSource, Database> databases = new Shared<>();
    private final Shared<ListDefinition, ServedList> lists = new Shared<>();
    private final Judges judges = new Judges();
    private final List<BeforeRelease> beforeReleases = new CopyOnWriteArrayList<>();

    /** How many mailets may still change a list. */
    private final AtomicInteger changers = new AtomicInteger();

    private volatile boolean stopping;

    /** The nanoseconds that the rest of the stop may take. Used by the thread that stops James. */
    private long stopLeft = LONGEST_STOP.toNanos();

    /** Makes the lists for James, whose injector calls this. */
    @Inject
    public SharedLists(WhitelistMetrics metrics, NamedLists named, RecipientAliases aliases) {
        this(metrics, named, aliases, aliases::isKnown);
    }

    /** Takes the users of a test. */
    public SharedLists(
            WhitelistMetrics metrics, NamedLists named, RecipientUsers users, Users usersThatAre) {
        this.metrics = metrics;
        this.named = named;
        this.users = users;
        this.usersThatAre = usersThatAre;
    }

    /** Returns the directory of users. */
    public Users usersThatAre() {
        return usersThatAre;
    }

    /** Returns what finds the users that recipients belong to. */
    public RecipientUsers users() {
        return users;
    }

    /** Returns the lists that are defined by name. */
    public NamedLists named() {
        return named;
    }

    /** Returns what notices that nothing looks for SPF and DKIM. */
    public MissingResults missingResults() {
        return missingResults;
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
     * {@link #release} it.
     *
     * @throws IOException if the list cannot be opened
     */
    public SenderList acquire(ListDefinition definition) throws IOException {
        return lists.acquire(definition, this::open).list();
    }

    private ServedList open(ListDefinition definition) throws IOException {
        return switch (definition) {
            case OfFile file -> ServedFile.open(file, metrics);
            case Living living -> ServedDatabase.open(living, databases, metrics);
        };
    }

    /**
     * Returns a list in a database for a mailet that changes it, and opens it if it has no user
     * yet. Every such mailet must {@link #releaseLiving} it.
     *
     * @param owner the mailet whose parameter names the list, for messages
     * @throws SettingException if the list cannot be opened
     */
    public LivingList acquireLiving(String owner, Living definition) throws SettingException {
        try {
            ServedList list =
                    lists.acquire(
                            definition,
                            from -> ServedDatabase.open(definition, databases, metrics));
            changers.incrementAndGet();
            return ((ServedDatabase) list).list();
        } catch (IOException e) {
            throw new SettingException(
                    owner + ": parameter " + ListParameters.LIST + ": " + e.getMessage(), e);
        }
    }

    /** Runs this each time before a use of a list ends, while the list is still open. */
    public void beforeRelease(String list, Runnable task) {
        beforeReleases.add(new BeforeRelease(list, task));
    }

    private record BeforeRelease(String list, Runnable task) {}

    /**
     * Ends one use of a list, and closes the list after its last use. If it cannot be closed, that
     * is logged.
     */
    public void release(ListDefinition definition) {
        inTime(
                () -> {
                    writeWhatWaits(definition);
                    if (stopping && changers.get() == 0) {
                        lists.open().keySet().forEach(each -> end(each, lists::close));
                    } else {
                        end(definition, lists::release);
                    }
                });
    }

    /** Ends uses of a list. */
    @FunctionalInterface
    private interface End {
        void of(ListDefinition definition) throws IOException;
    }

    private static void end(ListDefinition definition, End end) {
        try {
            end.of(definition);
        } catch (IOException | RuntimeException e) {
            LOGGER.warn("Whitelist {} could not be closed: {}", definition.title(), e.toString());
            LOGGER.debug("Whitelist {} could not be closed", definition.title(), e);
        }
    }

    /** Ends the use of a list by a mailet that has changed it, as {@link #release} does. */
    public void releaseLiving(ListDefinition definition) {
        changers.decrementAndGet();
        release(definition);
    }

    /**
     * Brings to the disk what waits and what has changed. James calls this first when it stops.
     * Mails still come in, so the lists answer and change as before.
     */
    @PreDestroy
    public void prepareToStop() {
        stopping = true;
        inTime(
                () -> {
                    // Each by itself: a database that does not answer takes all the time.
                    try (ExecutorService each =
                            Executors.newThreadPerTaskExecutor(
                                    Thread.ofPlatform().daemon().factory())) {
                        lists.open()
                                .forEach((of, served) -> each.execute(() -> prepare(of, served)));
                    }
                });
    }

    private void prepare(ListDefinition definition, ServedList served) {
        Harmless.run("Preparing to stop", served::settle);
        // This may take all the time.
        writeWhatWaits(definition);
        Harmless.run("Preparing to stop", served::settle);
    }

    private void writeWhatWaits(ListDefinition definition) {
        for (BeforeRelease each : beforeReleases) {
            if (each.list.equals(definition.name())) {
                Harmless.run("Writing what waits", each.task);
            }
        }
    }

    /**
     * Runs a part of a stop, and returns when it has ended, or all that a stop may take is used up.
     * What is not done then ends with the server. What is no part of a stop has all the time.
     */
    public void inTime(Runnable part) {
        if (!stopping) {
            part.run();
            return;
        }
        long began = System.nanoTime();
        Thread thread = new Thread(part, "whitelist stop");
        thread.setDaemon(true);
        thread.start();
        try {
            if (!thread.join(Duration.ofNanos(stopLeft))) {
                LOGGER.warn(
                        "The lists need more than the {} s that they may hold up the stop of"
                                + " James. What they still do ends with it; every acknowledged"
                                + " change is in its database",
                        LONGEST_STOP.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stopLeft -= System.nanoTime() - began;
    }

    /** Returns whether there are no lists. */
    public boolean isEmpty() {
        return lists.open().isEmpty();
    }

    /**
     * Returns one line for each list that has a problem, with its name if it was defined by name,
     * and one if nothing looks for SPF and DKIM.
     */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        lists.open()
                .forEach(
                        (definition, served) -> {
                            String problem = served.problem();
                            if (problem != null) {
                                String name = definition.name();
                                problems.add(
                                        ListName.hasForm(name) ? name + ": " + problem : problem);
                            }
                        });
        String missing = missingResults.problem();
        if (missing != null) {
            problems.add(missing);
        }
        return problems;
    }

    @Override
    public @Nullable LivingList living(String name) {
        return living().get(name);
    }

    @Override
    public SortedSet<String> livingNames() {
        return living().navigableKeySet();
    }

    private NavigableMap<String, LivingList> living() {
        return byName(ServedDatabase.class, ServedDatabase::list);
    }

    @Override
    public SortedMap<String, FileList> files() {
        return byName(ServedFile.class, ServedFile::list);
    }

    private <S extends ServedList, L> NavigableMap<String, L> byName(
            Class<S> kind, Function<S, L> list) {
        NavigableMap<String, L> found = new TreeMap<>();
        lists.open()
                .forEach(
                        (definition, served) -> {
                            if (kind.isInstance(served)) {
                                found.put(definition.name(), list.apply(kind.cast(served)));
                            }
                        });
        return found;
    }
}
