package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;

/** A living list in its database, as commands read and change it. */
record DatabaseList(String name, Database database, ListRecord record) implements OpenList {
    /** Who changes lists, for the history: the user of the system, before {@code sudo} if any. */
    static final String WHO =
            "command line "
                    + Objects.requireNonNullElse(
                            System.getenv("SUDO_USER"), System.getProperty("user.name"));

    private static final int PAGE = 1_000;

    /**
     * Opens a list that must be there.
     *
     * @throws IOException if there is none
     */
    static DatabaseList open(Place.InDatabase list) throws IOException {
        return open(list, false);
    }

    /**
     * Opens a list, which is made, with its database, if the configuration defines it.
     *
     * @param create whether it is made though nothing defines it
     */
    static DatabaseList openToFill(Place.InDatabase list, boolean create, Complaints complaints)
            throws IOException {
        boolean make = create || list.isDefined();
        Path missing = make ? list.database().missingFile() : null;
        if (missing != null) {
            complaints.println(missing + ": no such file; a new database is made");
        }
        try {
            return open(list, make);
        } catch (IOException e) {
            String allowed = "; allowed: a list of conf/whitelists.xml, or any with --create";
            throw make ? e : new IOException(e.getMessage() + allowed, e);
        }
    }

    private static DatabaseList open(Place.InDatabase list, boolean create) throws IOException {
        Database database = list.database().open(create);
        try {
            ListRecord record = database.record(list.name());
            if (create) {
                record.create();
            }
            SortedSet<String> there = database.lists();
            if (!there.contains(list.name())) {
                throw new IOException(
                        "the database has no list '%s'; there are: %s; nothing was done"
                                .formatted(
                                        list.name(),
                                        there.isEmpty() ? "none" : String.join(", ", there)));
            }
            return new DatabaseList(list.name(), database, record);
        } catch (IOException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    @Override
    public SenderList lines() {
        Lines lines = new Lines(name, record);
        return () -> lines;
    }

    /** The lines of a list that has no filter, each read from the database. */
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

    /** Reads the entries some at a time; those for one recipient all at once. */
    @Override
    public Walk all(@Nullable Key to) {
        return new Walk() {
            private List<Entry> page = List.of();
            private int at;
            private boolean isLast;

            @Override
            public @Nullable Entry next() throws IOException {
                if (at == page.size() && !isLast) {
                    Entry last = page.isEmpty() ? null : page.getLast();
                    page =
                            to == null
                                    ? record.page(last, PAGE)
                                    : record.entriesFor(to, Integer.MAX_VALUE);
                    isLast = to != null || page.isEmpty();
                    at = 0;
                }
                return at == page.size() ? null : page.get(at++);
            }
        };
    }

    @Override
    public void close() {
        database.close();
    }
}
