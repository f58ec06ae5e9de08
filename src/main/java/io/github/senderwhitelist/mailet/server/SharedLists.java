package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.mailet.settings.NamedLists;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.usage.UsageCounter;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The lists of this server. Mailets and matchers that use a list with equal settings share one copy
 * in memory and one thread that refreshes it; lists in the same database share its connections. The
 * list is closed when the last of them has released it.
 *
 * <p>James forgets to destroy matchers within And, Or and Not, so their lists are never closed.
 * When it stops, what matters is therefore brought to the disk at the beginning, while mails still
 * come in. Containers are often killed after ten seconds, so all that the lists do in a stop ends
 * after five.
 */
@Singleton
public class SharedLists {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);
    private static final Duration MAX_STOP = Duration.ofSeconds(5);

    private final WhitelistMetrics metrics;
    private final NamedLists named;
    private final RecipientUsers users;
    private final InstantSource clock;
    private final ServerUsage usage;
    private final List<Judging> judging = new CopyOnWriteArrayList<>();

    /** The lists that are open. Changed under the lock, which is held to open one. */
    private final Map<ListDefinition, Open> open = new ConcurrentHashMap<>();

    /** The databases of open lists: of living ones, and of the use of those in files. */
    private final Map<DatabaseSource, Database> databases = new ConcurrentHashMap<>();

    private final Map<String, LearningQueue> queues = new ConcurrentHashMap<>();

    private final RecentMails recent = new RecentMails();
    private final LastHour lastHour = new LastHour();
    private volatile boolean stopping;

    /** How much of a stop is left, in nanoseconds. Used by the thread that stops James. */
    private long left = MAX_STOP.toNanos();

    /** A mailet or matcher that judges mails, by its name, which others may have, and its lists. */
    public record Judging(String name, List<String> lists, Whitelist whitelist) {}

    /** A list, and how many mailets and matchers have it. */
    private record Open(SenderList list, UsageCounter usage, int uses) {}

    @Inject
    public SharedLists(WhitelistMetrics metrics, NamedLists named, RecipientAliases aliases) {
        this(metrics, named, aliases, InstantSource.system());
    }

    /** Takes the users and the clock of a test. */
    public SharedLists(
            WhitelistMetrics metrics, NamedLists named, RecipientUsers users, InstantSource clock) {
        this.metrics = metrics;
        this.named = named;
        this.users = users;
        this.clock = clock;
        this.usage = new ServerUsage(clock);
    }

    public InstantSource clock() {
        return clock;
    }

    public RecipientUsers users() {
        return users;
    }

    public NamedLists named() {
        return named;
    }

    /** Returns what judges mails, to which it adds itself. */
    public List<Judging> judging() {
        return judging;
    }

    public RecentMails recent() {
        return recent;
    }

    public LastHour lastHour() {
        return lastHour;
    }

    /** Returns what counts all mails for the log. */
    public ServerUsage usage() {
        return usage;
    }

    /** Returns what counts the use of an open list. */
    public UsageCounter usage(ListDefinition definition) {
        return Objects.requireNonNull(open.get(definition)).usage;
    }

    /** Returns what counts the use of the open list of this name; null if there is none. */
    public @Nullable UsageCounter usage(String name) {
        return open.entrySet().stream()
                .filter(each -> each.getKey().name().equals(name))
                .map(each -> each.getValue().usage)
                .findFirst()
                .orElse(null);
    }

    /** Forgets the use of all lines that are for a user. Returns why it could not, if so. */
    public List<String> forgetUsage(Key user) {
        List<String> failures = new ArrayList<>();
        for (Open each : open.values()) {
            try {
                each.usage.forget(user);
            } catch (IOException e) {
                failures.add(String.valueOf(e.getMessage()));
            }
        }
        return failures;
    }

    public WhitelistMetrics metrics() {
        return metrics;
    }

    /**
     * Returns the list of this definition, which is opened if it has no user yet, for the user that
     * a parameter belongs to. Every user must {@link #release} it.
     *
     * @throws SettingException if neither the file nor its last good snapshot can be loaded, or the
     *     file of a database cannot be opened; one on another server need not be there yet
     */
    public synchronized SenderList acquire(ListDefinition definition, String parameter) {
        Open now = open.get(definition);
        if (now == null) {
            try {
                now =
                        switch (definition) {
                            case OfFile file -> open(file);
                            case Living living -> open(living);
                        };
            } catch (IOException e) {
                throw new SettingException(parameter + ": " + e.getMessage(), e);
            }
        }
        open.put(definition, new Open(now.list, now.usage, now.uses + 1));
        return now.list;
    }

    private Open open(OfFile definition) throws IOException {
        ListLog log = new ListLog(definition.title());
        FileList list = FileList.open(definition.settings(), log, metrics.counters());
        UsageCounter counter = new UsageCounter(() -> usageTable(definition), list, clock);
        usage.open(counter, definition.title());
        metrics.show(definition.name(), list, counter);
        return new Open(list, counter, 0);
    }

    /** Returns the table of the use of a file's lines, when a use is to be written first. */
    private UsageTable usageTable(OfFile definition) throws IOException {
        // The name depends on parameters, the path does not.
        String list = definition.source().toString();
        Database database = database(definition);
        database.record(list).create();
        return database.usage(list);
    }

    private Database database(ListDefinition definition) throws IOException {
        synchronized (databases) {
            Database database = databases.get(definition.database());
            if (database == null) {
                database = definition.database().open();
                databases.put(definition.database(), database);
            }
            return database;
        }
    }

    private Open open(Living definition) throws IOException {
        Database database = database(definition);
        ListLog log = new ListLog(definition.title());
        ListRecord record = database.record(definition.name());
        LivingList list =
                LivingList.open(
                        definition.settings(), record, definition.base(), log, metrics.counters());
        UsageCounter counter =
                new UsageCounter(() -> database.usage(definition.name()), null, clock);
        usage.open(counter, definition.title());
        metrics.show(definition.name(), list, counter);
        return new Open(list, counter, 0);
    }

    /**
     * Returns the queue of what is to be learned into a list, open or not. It is written whenever a
     * use of the list ends.
     */
    public LearningQueue learning(String list) {
        return queues.computeIfAbsent(list, name -> new LearningQueue(metrics));
    }

    /** Waits until what is to be learned is written, if it is within some seconds. */
    public boolean drainLearning() {
        return queues.values().stream().allMatch(LearningQueue::drain);
    }

    /** Ends one use of a list, and closes the list after its last use. */
    public void release(ListDefinition definition) {
        inTime(
                () -> {
                    write(definition, Objects.requireNonNull(open.get(definition)));
                    end(definition);
                });
    }

    private synchronized void end(ListDefinition definition) {
        Open now = Objects.requireNonNull(open.get(definition));
        if (now.uses > 1) {
            open.put(definition, new Open(now.list, now.usage, now.uses - 1));
            return;
        }
        open.remove(definition);
        LearningQueue queue = queues.remove(definition.name());
        if (queue != null) {
            queue.close();
        }
        usage.close(now.usage);
        metrics.hide(definition.name());
        try {
            ((Closeable) now.list).close();
        } catch (IOException | RuntimeException e) {
            LOGGER.warn("Whitelist {} could not be closed: {}", definition.title(), e.toString());
            LOGGER.debug("Whitelist {} could not be closed", definition.title(), e);
        }
        DatabaseSource source = definition.database();
        boolean isUsed = open.keySet().stream().anyMatch(each -> each.database().equals(source));
        Database unused = isUsed ? null : databases.remove(source);
        if (unused != null) {
            unused.close();
        }
    }

    /**
     * Brings to the disk what waits and what has changed. James calls this first when it stops,
     * while mails still come in.
     */
    @PreDestroy
    public void prepareToStop() {
        stopping = true;
        inTime(
                () -> {
                    usage.logDay();
                    // Each by itself: a database that does not answer takes all the time.
                    try (ExecutorService each =
                            Executors.newThreadPerTaskExecutor(
                                    Thread.ofPlatform().daemon().factory())) {
                        open.forEach((of, now) -> each.execute(() -> prepare(of, now)));
                    }
                });
    }

    private void prepare(ListDefinition definition, Open now) {
        if (now.list instanceof LivingList living) {
            Harmless.run("Preparing to stop", living::settle);
        }
        // This may take all the time. What it changes is merged soon.
        write(definition, now);
        Database database = databases.get(definition.database());
        if (database != null) {
            Harmless.run("Preparing to stop", database::keepNoneOpen);
        }
    }

    private void write(ListDefinition definition, Open now) {
        LearningQueue queue = queues.get(definition.name());
        if (queue != null) {
            queue.drain();
        }
        usage.write(now.usage);
    }

    /**
     * Runs something until it has ended or, if it is part of a stop, all that a stop may take is
     * used up. What is not done then ends with the server.
     */
    public void inTime(Runnable part) {
        if (!stopping) {
            part.run();
            return;
        }
        long began = System.nanoTime();
        Thread thread = Thread.ofPlatform().daemon().name("whitelist stop").start(part);
        try {
            // Said once: each list of each mailet comes by here.
            if (!thread.join(Duration.ofNanos(left)) && left > 0) {
                LOGGER.warn(
                        "The lists need more than the {} s that they may hold up the stop of James."
                                + " What they still do ends with it; every acknowledged change is"
                                + " in its database",
                        MAX_STOP.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        left -= System.nanoTime() - began;
    }

    public boolean isEmpty() {
        return open.isEmpty();
    }

    /** Returns one line for each list that has a problem, with its name if it has one. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        files().forEach((name, list) -> add(name, list.status().problem(), problems));
        living().forEach((name, list) -> add(name, problem(list.status()), problems));
        return problems;
    }

    private static @Nullable String problem(LivingStatus status) {
        String unknown = "the latest changes are not known";
        return status.degraded() ? Objects.requireNonNullElse(status.problem(), unknown) : null;
    }

    private static void add(String name, @Nullable String problem, List<String> problems) {
        if (problem != null) {
            problems.add(ListName.hasForm(name) ? name + ": " + problem : problem);
        }
    }

    /** Returns the open list of this name in a database; null if there is none. */
    public @Nullable LivingList living(String name) {
        return living().get(name);
    }

    /** Returns the open lists in databases by their names. */
    public SortedMap<String, LivingList> living() {
        return byName(LivingList.class);
    }

    /** Returns the open lists in files, by the names that they have in metrics, too. */
    public SortedMap<String, FileList> files() {
        return byName(FileList.class);
    }

    private <L> SortedMap<String, L> byName(Class<L> kind) {
        SortedMap<String, L> found = new TreeMap<>();
        open.forEach(
                (definition, now) -> {
                    if (kind.isInstance(now.list)) {
                        found.put(definition.name(), kind.cast(now.list));
                    }
                });
        return found;
    }

    /**
     * Returns the entry of each list, in databases and in files, that lists a sender for a
     * recipient whose mail is confirmed in every way.
     *
     * @param tags which character begins the tag of a sender's address
     * @throws IOException if a list cannot be asked
     */
    public List<Entry> listing(Key sender, Key to, Subaddressing tags) throws IOException {
        Policy policy = new Policy(tags, clock, Subaddressing.NONE, users);
        MailFacts mail =
                new MailFacts(
                        Sender.parse(sender.toString()),
                        List.of(to.toString()),
                        confirmed -> EnumSet.allOf(Confirmation.class));
        List<SenderList> all = open.values().stream().map(Open::list).toList();
        List<Entry> listing = new ArrayList<>();
        if (entry(all, policy, mail) != null) {
            for (SenderList each : all) {
                Entry entry = entry(List.of(each), policy, mail);
                if (entry != null) {
                    listing.add(entry);
                }
            }
        }
        return listing;
    }

    private static @Nullable Entry entry(List<SenderList> lists, Policy policy, MailFacts mail)
            throws IOException {
        return switch (new Whitelist(lists, policy).check(mail).getFirst()) {
            case Listed listed -> listed.entry();
            case NotListed not -> null;
            case Unavailable(IOException cause) -> throw cause;
            case Failed(Throwable cause) -> throw new IOException(cause);
        };
    }
}
