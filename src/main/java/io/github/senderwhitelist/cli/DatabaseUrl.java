package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.FileState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The database of living lists that a URL of a configuration names, and how to open it.
 *
 * @param file the file of SQLite; null for PostgreSQL
 */
record DatabaseUrl(String url, String user, String password, @Nullable Path file) {
    /** The beginning of the URL of a file. */
    static final String SQLITE = "jdbc:sqlite:";

    private static final String ALLOWED =
            "jdbc:sqlite:file://var/whitelist/lists.db, or jdbc:postgresql://HOST/NAME with a user";

    /** How long a command waits for one answer of a database. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /** The file of a database begins so. */
    private static final String BEGINNING = "SQLite format 3\0";

    private static volatile boolean opened;

    /**
     * Parses a URL.
     *
     * @param james whose files it may name
     * @throws IOException if it cannot be used; the message does not contain it, since a password
     *     may be in it
     */
    static DatabaseUrl of(String url, JamesFolder james, String user, String password)
            throws IOException {
        if (url.startsWith(SQLITE)) {
            String path = url.substring(SQLITE.length()).replaceFirst("^file:(?!//)", "");
            if (!user.isEmpty() || !password.isEmpty()) {
                throw refused("a user and a password are for PostgreSQL");
            }
            if (!path.matches("(?:file://)?(?!//|:|file:)[^?]+")) {
                throw refused("'" + Text.shown(url) + "' is not the URL of a file alone");
            }
            return new DatabaseUrl(url, "", "", james.resolve(path));
        }
        try {
            Database.requireUsable(url);
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
        if (user.isEmpty()) {
            throw refused("no list of conf/whitelists.xml has this database with its <user>");
        }
        return new DatabaseUrl(url, user, password, null);
    }

    private static IOException refused(String why) {
        return new IOException("the database: %s; allowed: %s".formatted(why, ALLOWED));
    }

    /** Returns whether any was opened; then the process must not end at once. */
    static boolean wasOpened() {
        return opened;
    }

    /**
     * Opens the database.
     *
     * @param create whether a file that is missing is made
     */
    Database open(boolean create) throws IOException {
        opened = true;
        if (file == null) {
            return Database.postgres(url, user, password, TIMEOUT, 1);
        }
        OthersFolders.refuseDatabase(file);
        String library = System.getProperty(Database.LIBRARY_FOLDER);
        if (library != null) {
            OthersFolders.refuse(Path.of(library));
        }
        FileState.Type type = Disk.LOCAL.state(file).type();
        if (type == FileState.Type.MISSING && !create) {
            throw new IOException(file + ": no such file; nothing was done");
        }
        OthersFolders.requireWritable(file);
        if (type == FileState.Type.REGULAR) {
            requireDatabase(file, create);
        }
        return Database.sqlite(file, TIMEOUT);
    }

    /** Refuses other files; an empty one is what a first start leaves that was killed. */
    private static void requireDatabase(Path file, boolean create) throws IOException {
        byte[] beginning;
        try (InputStream in = DiskInput.open(Disk.LOCAL, file)) {
            beginning = in.readNBytes(BEGINNING.length());
        }
        boolean isEmpty = beginning.length == 0;
        if (!(isEmpty && create) && !new String(beginning, ISO_8859_1).equals(BEGINNING)) {
            throw new IOException(
                    ("%s: no database, but %s file; nothing was done. Name the file of a list's"
                                    + " source in conf/whitelists.xml")
                            .formatted(file, isEmpty ? "an empty" : "another"));
        }
    }

    /** Returns the file if it is missing, in a place where one may be made; otherwise null. */
    @Nullable Path missingFile() throws IOException {
        if (file == null) {
            return null;
        }
        OthersFolders.refuseDatabase(file);
        return Disk.LOCAL.state(file).type() == FileState.Type.MISSING ? file : null;
    }
}
