package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Loaded;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A living list in its database, as commands read and change it. */
class LivingPlace implements Closeable {
    /** How many entries {@link #putAll} best takes at once: one by one, and as a bulk. */
    private static final int PART = 1_000;

    private static final int BULK_PART = 10_000;

    private final Database database;
    private final ListRecord record;
    private final String list;
    private final String who;
    private boolean isBulk;
    private boolean hasLoaded;

    /**
     * Makes a place.
     *
     * @param who who changes the list, for the history
     */
    LivingPlace(Database database, String list, String who) {
        this.database = database;
        this.record = database.record(list);
        this.list = list;
        this.who = who;
    }

    /**
     * What a put has done.
     *
     * @param changed whether anything has changed
     * @param before the lines that were replaced, or none
     * @param lost what was taken away of their conditions, in sentences
     */
    record Put(boolean changed, List<String> before, List<String> lost) {}

    /** Announces how many entries will be put from now on. Very many are a bulk. */
    void expect(long entries) {
        isBulk = entries > ListRecord.MAX_ROWS;
    }

    /**
     * Puts an entry in place of what its origin had for the same sender and recipients.
     *
     * @throws IOException if it fails; the entry may have been put or not
     */
    Put put(Entry entry) throws IOException {
        AtomicReference<List<Rule>> there = new AtomicReference<>(List.of());
        Effect effect =
                change(
                        Target.of(entry),
                        rules -> {
                            there.set(rules);
                            return entry.rules();
                        });
        if (effect != Effect.REPLACED) {
            return new Put(effect == Effect.CREATED, List.of(), List.of());
        }
        Entry before = new Entry(entry.key(), entry.to(), there.get());
        return new Put(true, before.lines(), LostConditions.of(before, entry));
    }

    private Effect change(Target target, UnaryOperator<List<Rule>> change) throws IOException {
        return record.write(List.of(new Edit(target, change)), who).getFirst();
    }

    /**
     * Adds an entry to what its origin has for the same sender and recipients. What others do at
     * the same time is kept.
     *
     * @throws IOException if it fails; the entry may have been added or not
     */
    void add(Entry entry) throws IOException {
        change(
                Target.of(entry),
                there -> Stream.concat(there.stream(), entry.rules().stream()).toList());
    }

    /**
     * Puts entries, each in place of what its origin had for the same sender and recipients, unless
     * that is to be kept.
     *
     * @return how many are new or have changed
     * @throws IOException if it fails; all of the entries may have been put, or none
     */
    long putAll(List<Entry> entries, Replacements replacements) throws IOException {
        if (isBulk) {
            Loaded loaded = record.load(entries, replacements.replacesDenials());
            hasLoaded = true;
            loaded.others().forEach(other -> replacements.add(other.before(), other.now()));
            return loaded.changed();
        }
        List<AtomicReference<List<Rule>>> there = new ArrayList<>();
        List<Edit> edits = new ArrayList<>();
        for (Entry entry : entries) {
            AtomicReference<List<Rule>> before = new AtomicReference<>(List.of());
            there.add(before);
            edits.add(
                    new Edit(
                            Target.of(entry),
                            rules -> {
                                before.set(rules);
                                return replacements.keeps(rules, entry) ? rules : entry.rules();
                            }));
        }
        List<Effect> effects = edits.isEmpty() ? List.of() : record.write(edits, who);
        for (int i = 0; i < entries.size(); i++) {
            Entry now = entries.get(i);
            replacements.add(new Entry(now.key(), now.to(), there.get(i).get()), now);
        }
        return effects.stream().filter(effect -> effect != Effect.NONE).count();
    }

    /** Returns how many entries {@link #putAll} best takes at once. */
    int part() {
        return isBulk ? BULK_PART : PART;
    }

    /**
     * Removes what an origin has for a sender and some recipients, or all if {@code to} is null.
     *
     * @return whether there was anything
     */
    boolean remove(Origin origin, Key sender, @Nullable Key to) throws IOException {
        return change(new Target(origin, sender, to), rules -> List.of()) == Effect.REMOVED;
    }

    /**
     * Removes an entry as {@link #remove} does, but keeps what others have put meanwhile. Some of
     * the entry may then still be there.
     *
     * @param known what is expected to be there, of one origin
     */
    void removeKnown(Entry known) throws IOException {
        Set<String> lines = Set.copyOf(known.lines());
        change(
                Target.of(known),
                there ->
                        there.stream()
                                .filter(rule -> !lines.contains(rule.line(known.key(), known.to())))
                                .toList());
    }

    /** Returns the lines of all entries for one user. */
    List<String> linesFor(Key user) throws IOException {
        return record.entriesFor(user, Integer.MAX_VALUE).stream()
                .flatMap(entry -> entry.lines().stream())
                .toList();
    }

    /** Visits the lines of all entries, in the order of the senders. */
    void forEachLine(Consumer<String> visitor) throws IOException {
        record.forEach(entry -> entry.lines().forEach(visitor));
    }

    /** Returns what is known of the list, by name, in the order in which it is printed. */
    Map<String, @Nullable Object> status() throws IOException {
        Position last = record.last();
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        status.put("list", list);
        status.put("entries", record.count());
        status.put("log", last.epoch());
        status.put("position", last.seq());
        return status;
    }

    @Override
    public void close() throws IOException {
        try (database) {
            if (hasLoaded) {
                record.endLoad();
            }
        }
    }
}
