package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Import;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Found;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.FeedPosition;

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
import java.util.stream.Stream;

/** A living list in its database, as commands read and change it. */
class LivingPlace implements Closeable {
    /** How many entries {@link #putAll} best takes at once. */
    private static final int PART = 5_000;

    private final Database database;
    private final String list;
    private final String who;
    private final Consumer<String> notes;
    private @Nullable Import importing;

    /**
     * Makes a place.
     *
     * @param who who changes the list, for the history
     * @param notes takes what people should know meanwhile, in lines
     */
    LivingPlace(Database database, String list, String who, Consumer<String> notes) {
        this.database = database;
        this.list = list;
        this.who = who;
        this.notes = notes;
    }

    /**
     * What a put has done.
     *
     * @param changed whether anything has changed
     * @param before the lines that were replaced, or none
     * @param lost what was taken away of their conditions, in sentences
     */
    record Put(boolean changed, List<String> before, List<String> lost) {}

    private EntryTable table() {
        return database.table(list);
    }

    /** Announces that only these entries will be put from now on. */
    void expect(LinesInOrder entries, Replacements replacements) throws IOException {
        long count = entries.count();
        if (Database.isVeryMany(count) && !table().page(null, 1).entries().isEmpty()) {
            // While very many are put, what is there cannot be read.
            List<Entry> part = new ArrayList<>();
            entries.forEach(
                    entry -> {
                        part.addAll(EntryFeeder.byOrigin(entry));
                        if (part.size() >= part()) {
                            look(part, replacements);
                            part.clear();
                        }
                    });
            look(part, replacements);
        }
        importing = database.importing(list, count);
    }

    /**
     * Counts what entries do to those that are there, and removes the denials that are to be
     * replaced: to put an entry removes none, since it may have come after this look.
     */
    private void look(List<Entry> entries, Replacements replacements) throws IOException {
        List<Found> found =
                table().findAll(
                                entries.stream()
                                        .map(entry -> new Pair(entry.key(), entry.to()))
                                        .toList());
        List<Target> denied = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            Entry there = found.get(i).entry();
            Entry now = entries.get(i);
            Target target = Target.of(now);
            if (there != null) {
                List<Rule> own = there.rulesOf(target.origin());
                if (replacements.add(new Entry(now.key(), now.to(), own), now)) {
                    denied.add(target);
                }
            }
        }
        table().removeAll(denied, who);
    }

    /**
     * Puts an entry in place of what its origin had for the same sender and recipients.
     *
     * @throws IOException if it fails; the entry may have been put or not
     */
    Put put(Entry entry) throws IOException {
        Key sender = entry.key();
        Target target = Target.of(entry);
        AtomicReference<List<Rule>> there = new AtomicReference<>(List.of());
        Effect effect =
                table().update(
                                List.of(target),
                                rules -> {
                                    there.set(rules);
                                    return entry.rules();
                                },
                                who)
                        .getFirst()
                        .effect();
        if (effect != Effect.REPLACED) {
            return new Put(effect == Effect.CREATED, List.of(), List.of());
        }
        Entry before = new Entry(sender, entry.to(), there.get());
        return new Put(true, before.lines(), LostConditions.of(before, entry));
    }

    /**
     * Adds an entry to what its origin has for the same sender and recipients. What others do at
     * the same time is kept.
     *
     * @throws IOException if it fails; the entry may have been added or not
     */
    void add(Entry entry) throws IOException {
        table().update(
                        List.of(Target.of(entry)),
                        there -> Stream.concat(there.stream(), entry.rules().stream()).toList(),
                        who);
    }

    /**
     * Puts entries, each in place of what its origin had for the same sender and recipients, unless
     * that is to be kept.
     *
     * @return how many are new or have changed
     * @throws IOException if it fails; some of the entries may have been put
     */
    long putAll(List<Entry> entries, Replacements replacements) throws IOException {
        if (importing != null) {
            return importing.putAll(entries);
        }
        look(entries, replacements);
        return database.putAllButKeepDenials(list, entries, who);
    }

    /** Returns how many entries {@link #putAll} best takes at once. */
    int part() {
        return importing == null ? PART : importing.part();
    }

    /**
     * Removes what an origin has for a sender and some recipients, or all if {@code to} is null.
     *
     * @return whether there was anything
     */
    boolean remove(Origin origin, Key sender, @Nullable Key to) throws IOException {
        return table().remove(origin, sender, to, who).effect() == Effect.REMOVED;
    }

    /**
     * Removes an entry as {@link #remove} does, but keeps what others have put meanwhile. Some of
     * the entry may then still be there.
     *
     * @param known what is expected to be there, of one origin
     */
    void removeKnown(Entry known) throws IOException {
        Key sender = known.key();
        Key to = known.to();
        Set<String> lines = Set.copyOf(known.lines());
        table().update(
                        List.of(Target.of(known)),
                        there ->
                                there.stream()
                                        .filter(rule -> !lines.contains(rule.line(sender, to)))
                                        .toList(),
                        who);
    }

    /** Returns the lines of all entries for one user. */
    List<String> linesFor(Key user) throws IOException {
        return table().entriesFor(user, Integer.MAX_VALUE).stream()
                .flatMap(entry -> entry.lines().stream())
                .toList();
    }

    /** Visits the lines of all entries, in the order of the senders. */
    void forEachLine(Consumer<String> visitor) throws IOException {
        table().forEach(entry -> entry.lines().forEach(visitor));
    }

    /** Returns what is known of the list, by name, in the order in which it is printed. */
    Map<String, @Nullable Object> status() throws IOException {
        FeedPosition feed = table().position();
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        status.put("list", list);
        status.put("entries", table().count());
        status.put("feed", feed.epoch());
        status.put("position", feed.place().replaceFirst(";.*", ""));
        return status;
    }

    @Override
    public void close() throws IOException {
        try (database) {
            if (importing != null) {
                notes.accept(list + ": the database completes its indexes");
                importing.close();
            }
        }
    }
}
