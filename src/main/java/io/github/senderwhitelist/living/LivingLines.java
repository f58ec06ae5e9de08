package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.decision.AnswerCache;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.living.EntryTable.Found;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/**
 * What a living list holds, whatever it is at the moment. While this server does not know the
 * latest changes, it believes neither the filters nor the cache.
 */
final class LivingLines implements SenderLines {
    private final LivingSettings settings;
    private final Follower follower;
    private final Table table;
    private final AnswerCache answers;
    private final ListCounters counters;
    private volatile boolean closed;

    LivingLines(LivingSettings settings, Follower follower, Table table, ListCounters counters) {
        this.settings = settings;
        this.follower = follower;
        this.table = table;
        this.counters = counters;
        this.answers = new AnswerCache(settings.cacheSize(), settings.cacheExpiry(), counters);
    }

    @Override
    public boolean mightContainAddress(Key key) {
        KeyFilters filters = believed();
        boolean maybe = filters == null || filters.mightContainAddress(key);
        counters.addressAnswer(maybe);
        return maybe;
    }

    @Override
    public boolean mightContainDomain(byte[] bytes, int start) {
        KeyFilters filters = believed();
        boolean maybe = filters == null || filters.mightContainDomain(bytes, start);
        if (maybe) {
            counters.domainAnsweredMaybe();
        }
        return maybe;
    }

    /** Answers questions to the table. */
    @FunctionalInterface
    interface Table {
        /** Does what {@link EntryTable#findAll} does. */
        List<Found> findAll(List<Pair> pairs) throws IOException;
    }

    @Override
    public @Nullable Entry find(Key key, @Nullable Key to) throws IOException, RetiredException {
        if (closed) {
            throw new RetiredException();
        }
        // Answers from before this server was behind may be old.
        return isBehind()
                ? answers.findUncached(key, to, this::ask)
                : answers.find(key, to, follower.versions().of(key), this::ask);
    }

    private @Nullable Entry ask(Key key, @Nullable Key to) throws IOException {
        Found found = table.findAll(List.of(new Pair(key, to))).getFirst();
        if (found.failure() != null) {
            throw found.failure();
        }
        return found.entry();
    }

    /** Returns true, since users may change their entries at any time. */
    @Override
    public boolean hasPersonal() {
        return true;
    }

    /**
     * Returns the filters to believe, or null when there are none. Filters that were kept are
     * believed until the database has answered for the first time: it is better to turn strangers
     * away by what was true a while ago than to say of every sender that nothing is known.
     */
    private @Nullable KeyFilters believed() {
        return isStale() && follower.hasPolled() ? null : follower.filters();
    }

    private boolean isStale() {
        return !follower.hasPolled() || follower.staleness() > settings.maxStaleness().toNanos();
    }

    /** Returns whether this server does not know the latest changes. */
    boolean isBehind() {
        return isStale() || follower.filters() == null;
    }

    /** Returns the state of the list. */
    LivingStatus status(@Nullable String problem) {
        KeyFilters filters = follower.filters();
        return new LivingStatus(
                filters == null ? 0 : filters.addresses().added(),
                filters == null ? 0 : filters.domains().added(),
                filters == null ? 0 : filters.addresses().bytes() + filters.domains().bytes(),
                filters == null ? 0 : filters.addresses().rate(),
                isBehind(),
                problem);
    }

    @Override
    public String describe() {
        LivingStatus status = status(null);
        return "living list "
                + settings.name()
                + ", about "
                + status.addresses()
                + " addresses and "
                + status.domains()
                + " domain entries"
                + (status.behind() ? ", not followed at the moment" : "");
    }

    /** Ends questions: whoever still asks is told that the list is closed. */
    void close() {
        closed = true;
    }
}
