package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.living.EntryTable.Target;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is true of a table, and since when servers must know it. It is made of what was written when
 * it became visible, not of what a table answers.
 */
final class Truth {
    /** What servers must know. */
    private final Map<Target, Timeline<List<Rule>>> known = new HashMap<>();

    private final Map<Target, Timeline<List<Rule>>> targets = new HashMap<>();
    private Map<Target, List<Rule>> entries = new HashMap<>();
    private List<Commit> feed = new ArrayList<>();
    private long moment;

    /** The last time at which an import put entries, in nanoseconds. */
    private long imported;

    /** Whether entries were imported that are not announced. */
    private boolean importing;

    private int imports;
    private int restores;

    /** The last moment since which a feed need not go on from the places before it. */
    private long broken;

    /** The last moment since which a feed must not go on from the places before it. */
    private long ended;

    /** The same, until another import begins. */
    private long died;

    /** A change that the feed must have once. */
    record Commit(long moment, Target about) {}

    /** What was true when a backup was made. */
    record Backup(
            long moment,
            Map<Target, List<Rule>> entries,
            Set<Target> announced,
            List<Commit> feed,
            long imported,
            boolean importing) {}

    /** Begins with nothing. */
    Truth(List<Key> senders, List<Key> recipients) {
        for (Key sender : senders) {
            begin(sender, null);
            recipients.forEach(to -> begin(sender, to));
        }
    }

    private void begin(Key sender, @Nullable Key to) {
        for (Origin origin : Origin.values()) {
            Target about = new Target(origin, sender, to);
            timeline(about).add(0, List.of());
            known(about).add(0, List.of());
        }
    }

    /** Returns what servers must know of the rules of an entry, in the order of stores. */
    Timeline<List<Rule>> known(Target about) {
        return known.computeIfAbsent(about, any -> new Timeline<>());
    }

    /** Returns what the rules of an entry were. */
    Timeline<List<Rule>> timeline(Target about) {
        return targets.computeIfAbsent(about, any -> new Timeline<>());
    }

    /** Returns the moment, which is another one for everything that happens. */
    long moment() {
        return moment;
    }

    long next() {
        return ++moment;
    }

    /** Returns how often the table was put back. */
    int restores() {
        return restores;
    }

    /** Returns how often something was imported, or a table was put back. */
    int imports() {
        return imports;
    }

    long broken() {
        return broken;
    }

    /** From now on, places from before need not be known. */
    void breaks() {
        broken = Math.max(broken, next());
    }

    /**
     * Changes were removed from the feed. From now on, no place need be known: where a transaction
     * was in progress, changes of it may have been removed.
     */
    void forgets() {
        broken = Long.MAX_VALUE;
    }

    /** Returns the changes that the feed has had, but for those that were lost by a restore. */
    List<Commit> feed() {
        return feed;
    }

    /** Takes a change that has become visible. */
    void changed(Target about, List<Rule> rules, boolean inFeed) {
        next();
        set(about, rules);
        timeline(about).add(moment, rules(about));
        if (inFeed) {
            feed.add(new Commit(moment, about));
        }
        if (inFeed) {
            known(about).add(moment, ordered(about));
        } else {
            known(about).addUnannounced(ordered(about));
        }
    }

    private List<Rule> ordered(Target about) {
        return RulesCodec.ordered(rules(about));
    }

    private void set(Target about, List<Rule> rules) {
        if (rules.isEmpty()) {
            entries.remove(about);
        } else {
            entries.put(about, rules);
        }
    }

    private List<Rule> rules(Target about) {
        return entries.getOrDefault(about, List.of());
    }

    /** An import has put entries at this time. */
    void imports(long nanos) {
        imported = nanos;
        importing = true;
        imports++;
        died = 0;
    }

    /** Returns whether entries are imported, and none were for so long that it must have died. */
    boolean isImportDead(long nanos) {
        return importing && nanos - imported > SimTable.EXPIRES.toNanos();
    }

    /** Time passes. */
    void passes(long before, long after) {
        long end = imported + SimTable.EXPIRES.toNanos();
        if (before <= end && after > end) {
            // Another import than the last may be dead, of which nothing is expected any more.
            breaks();
            died = importing ? moment : died;
        }
    }

    /** An import has ended. */
    void importEnded() {
        breaks();
        ended = moment;
        announce(moment);
    }

    /** Servers that begin to read the feed after a moment must know all that is true now. */
    void announce(long since) {
        importing = false;
        known.values().forEach(timeline -> timeline.announce(since));
    }

    /** Returns whether a feed must not go on from before one moment after another. */
    boolean mustReadAgain(long before, long after) {
        return (before < ended && ended <= after) || (before < died && died <= after);
    }

    Backup backup() {
        Set<Target> announced = new HashSet<>();
        known.forEach(
                (about, timeline) -> {
                    if (timeline.isAnnounced()) {
                        announced.add(about);
                    }
                });
        return new Backup(
                moment, Map.copyOf(entries), announced, List.copyOf(feed), imported, importing);
    }

    void restore(Backup backup) {
        restores++;
        breaks();
        entries = new HashMap<>(backup.entries);
        feed = new ArrayList<>(backup.feed);
        imported = backup.imported;
        importing = backup.importing;
        imports++;
        ended = 0;
        died = 0;
        known.forEach(
                (about, timeline) ->
                        timeline.restore(
                                moment,
                                ordered(about),
                                backup.announced.contains(about),
                                backup.moment));
        targets.forEach((about, timeline) -> timeline.add(moment, rules(about)));
    }
}
