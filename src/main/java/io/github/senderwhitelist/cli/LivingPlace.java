package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.cli.Place.Named;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Loaded;
import io.github.senderwhitelist.living.ListRecord.PastChange;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Stream;

/** A living list in its database, as commands read and change it. */
class LivingPlace implements Closeable {
    private final Database database;
    private final ListRecord record;
    private final String list;
    private final String who;
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

    /** Returns the names of the lists in a database. */
    static SortedSet<String> names(DatabaseUrl url) throws IOException {
        try (Database database = url.open(false)) {
            return database.lists();
        }
    }

    /**
     * Opens a list that is to be read.
     *
     * @throws IOException if there is none
     */
    static LivingPlace open(Named.InDatabase named) throws IOException {
        return open(named, "", false);
    }

    /**
     * Opens a list.
     *
     * @param who who changes it, for the history
     * @param create whether it is made, with its database, if it is missing
     */
    static LivingPlace open(Named.InDatabase named, String who, boolean create) throws IOException {
        Database database = named.database().open(create);
        try {
            if (create) {
                database.record(named.list()).create();
            }
            SortedSet<String> there = database.lists();
            if (!there.contains(named.list())) {
                throw new IOException(
                        "the database has no list '%s'; there are: %s; nothing was done"
                                .formatted(
                                        named.list(),
                                        there.isEmpty() ? "none" : String.join(", ", there)));
            }
            return new LivingPlace(database, named.list(), who);
        } catch (IOException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    /**
     * Puts entries, all in one transaction, and returns what each has changed.
     *
     * @throws IOException if it fails; all of the entries may have been put, or none
     */
    List<Effect> put(List<EntryPut> puts) throws IOException {
        return puts.isEmpty()
                ? List.of()
                : record.write(puts.stream().map(EntryPut::edit).toList(), who);
    }

    /**
     * Puts a part of very many entries; see {@link ListRecord#load}. Servers read the list as a
     * whole when this is closed.
     */
    Loaded load(List<Entry> entries, boolean replaceDenials) throws IOException {
        Loaded loaded = record.load(entries, replaceDenials);
        hasLoaded = true;
        return loaded;
    }

    private Effect change(Edit edit) throws IOException {
        return record.write(List.of(edit), who).getFirst();
    }

    /**
     * Adds an entry to what its origin has for the same sender and recipients. What others do at
     * the same time is kept.
     *
     * @throws IOException if it fails; the entry may have been added or not
     */
    void add(Entry entry) throws IOException {
        change(
                new Edit(
                        Target.of(entry),
                        there -> Stream.concat(there.stream(), entry.rules().stream()).toList()));
    }

    /**
     * Removes what an origin has for a sender and some recipients, or all if {@code to} is null.
     *
     * @return whether there was anything
     */
    boolean remove(Origin origin, Key sender, @Nullable Key to) throws IOException {
        return change(Edit.remove(new Target(origin, sender, to))) == Effect.REMOVED;
    }

    /**
     * Removes an entry as {@link #remove} does, but keeps what others have put meanwhile. Some of
     * the entry may then still be there.
     *
     * @param known what is expected to be there, of one origin
     */
    void removeKnown(Entry known) throws IOException {
        change(
                new Edit(
                        Target.of(known),
                        there ->
                                there.stream()
                                        .filter(rule -> !known.rules().contains(rule))
                                        .toList()));
    }

    /** Returns what there is for a sender and some recipients, or null. */
    @Nullable Entry find(Key sender, @Nullable Key to) throws IOException {
        return record.find(sender, to);
    }

    /** Returns all entries for one recipient. */
    List<Entry> entriesFor(Key user) throws IOException {
        return record.entriesFor(user, Integer.MAX_VALUE);
    }

    /** Returns some entries that follow another, or the first if it is null. */
    List<Entry> after(@Nullable Entry last, int max) throws IOException {
        return record.page(last, max);
    }

    /** Returns the last changes of the entries of a sender, the newest first. */
    List<PastChange> history(Key sender, int max) throws IOException {
        return record.history(sender, max);
    }

    /** Returns what is known of the list, by name, in the order in which it is printed. */
    Map<String, Object> status() throws IOException {
        Position last = record.last();
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("list", list);
        status.put("entries", record.count());
        status.put("log", last.epoch());
        status.put("position", last.seq());
        return status;
    }

    /** Returns the lines of the list as checks ask for them, each read from the database. */
    SenderLines lines() {
        return new Lines(list, record);
    }

    /** The lines of a list that has no filter. */
    private record Lines(String name, ListRecord record) implements SenderLines {
        @Override
        public boolean mightContain(byte[] key, int from) {
            return true;
        }

        @Override
        public @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
            return record.find(key, to);
        }

        @Override
        public boolean hasPersonal() {
            return true;
        }

        @Override
        public String describe() {
            return "the living list " + name + ", as it is in the database now";
        }
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
