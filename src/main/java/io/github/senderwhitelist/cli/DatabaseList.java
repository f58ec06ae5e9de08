package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.SortedSet;

/**
 * A living list in its database, as commands read and change it: the record itself. A server learns
 * of each change from the log.
 */
record DatabaseList(String name, Database database, ListRecord record)
        implements ListCommand.OpenList, SenderLines {
    /** Who changes lists, for the history: the user of the system, before {@code sudo} if any. */
    static final String WHO =
            "command line "
                    + Objects.requireNonNullElse(
                            System.getenv("SUDO_USER"), System.getProperty("user.name"));

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /** The file of a database of SQLite begins so. */
    private static final String BEGINNING = "SQLite format 3\0";

    /** How many entries are read at once. */
    private static final int PAGE = 1_000;

    /** A list in a database, which need not be there yet. */
    record Name(String name, DatabaseSource source) implements ListCommand.Where {
        /** Opens the list; where null stands for {@code made}, it is not made. */
        DatabaseList open(@Nullable Messages made) throws IOException {
            Database database = database(source, made);
            try {
                ListRecord record = database.record(name);
                if (made != null) {
                    record.create();
                }
                SortedSet<String> there = database.lists();
                if (there.contains(name)) {
                    return new DatabaseList(name, database, record);
                }
                throw new IOException(
                        "the database has no list '%s', but %s; add and import make it by --create"
                                .formatted(name, there));
            } catch (IOException | RuntimeException e) {
                database.close();
                throw e;
            }
        }
    }

    /**
     * Opens a database. What may be dangerous or futile is refused before SQLite makes files beside
     * its file.
     *
     * @param made takes that a file is made; null refuses one that is missing
     */
    static Database database(DatabaseSource source, @Nullable Messages made) throws IOException {
        Main.mustEndOrderly = true;
        if (!source.user().isEmpty()) {
            String password = source.password();
            return Database.postgres(source.place(), source.user(), password, TIMEOUT, 1);
        }
        Path here = Path.of("").toAbsolutePath();
        Path absolute = Path.of(source.place());
        Path file = absolute.startsWith(here) ? here.relativize(absolute) : absolute;
        OthersFolders.refuseDatabase(file);
        String library = System.getProperty(Database.LIBRARY_FOLDER);
        if (library != null) {
            OthersFolders.refuse(Path.of(library));
        }
        FileState state = Disk.LOCAL.state(file);
        if (state.type() == FileState.Type.MISSING) {
            if (made == null) {
                throw new IOException(file + ": no such file; nothing was done");
            }
            made.println(file + ": no such file; a new database is made");
        } else if (state.isRegular()) {
            try (InputStream in = Disk.LOCAL.open(file).input()) {
                String beginning = new String(in.readNBytes(BEGINNING.length()), ISO_8859_1);
                // An empty one is what a first start leaves that was killed.
                if (!beginning.equals(BEGINNING) && (made == null || !beginning.isEmpty())) {
                    throw new IOException(
                            "%s: no database of SQLite; name the source of a list, as in conf"
                                    .formatted(file));
                }
            }
        }
        return Database.sqlite(file, TIMEOUT);
    }

    @Override
    public SenderList lines() {
        return () -> this;
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

    @Override
    public EntryWalk walk(@Nullable Key to) throws IOException {
        if (to != null) {
            return new ArrayDeque<>(record.entriesFor(to, Integer.MAX_VALUE))::poll;
        }
        return EntryWalk.of(record::page, PAGE);
    }

    @Override
    public void close() {
        database.close();
    }
}
