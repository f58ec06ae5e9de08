package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable.Target;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumSet;
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
    private final Map<Pair, Timeline<Entry>> pairs = new HashMap<>();
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
            Map<Target, List<Rule>> entries,
            Set<Pair> announced,
            List<Commit> feed,
            long imported,
            boolean importing) {}

    /** Begins with nothing. */
    Truth(List<Key> senders, List<Key> recipients) {
        for (Key sender : senders) {
            begin(new Pair(sender, null));
            recipients.forEach(to -> begin(new Pair(sender, to)));
        }
    }

    private void begin(Pair pair) {
        timeline(pair).add(0, null);
        for (Origin origin : Origin.values()) {
            timeline(new Target(origin, pair.sender(), pair.to())).add(0, List.of());
        }
    }

    Timeline<Entry> timeline(Pair pair) {
        return pairs.computeIfAbsent(pair, any -> new Timeline<>());
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
        for (Pair pair : new HashSet<>(List.of(pair(about), new Pair(about.sender(), null)))) {
            if (inFeed) {
                timeline(pair).add(moment, entry(pair));
            } else {
                timeline(pair).addUnannounced(entry(pair));
            }
        }
    }

    private static Pair pair(Target about) {
        return new Pair(about.sender(), about.to());
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

    private @Nullable Entry entry(Pair pair) {
        List<Rule> rules = new ArrayList<>();
        for (Origin origin : Origin.values()) {
            rules.addAll(rules(new Target(origin, pair.sender(), pair.to())));
        }
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (Target about : entries.keySet()) {
            if (pair.to() == null && about.to() != null && about.sender().equals(pair.sender())) {
                kinds.add(RecipientKind.of(about.to()));
            }
        }
        return rules.isEmpty() && kinds.isEmpty()
                ? null
                : new Entry(pair.sender(), pair.to(), rules, kinds);
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
        pairs.values().forEach(timeline -> timeline.announce(since));
    }

    /** Returns whether a feed must not go on from before one moment after another. */
    boolean mustReadAgain(long before, long after) {
        return (before < ended && ended <= after) || (before < died && died <= after);
    }

    Backup backup() {
        Set<Pair> announced = new HashSet<>();
        pairs.forEach(
                (pair, timeline) -> {
                    if (timeline.isAnnounced()) {
                        announced.add(pair);
                    }
                });
        return new Backup(Map.copyOf(entries), announced, List.copyOf(feed), imported, importing);
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
        pairs.forEach(
                (pair, timeline) ->
                        timeline.restore(moment, entry(pair), backup.announced.contains(pair)));
        targets.forEach((about, timeline) -> timeline.add(moment, rules(about)));
    }
}
