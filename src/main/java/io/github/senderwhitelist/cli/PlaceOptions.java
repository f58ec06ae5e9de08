package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.TextFile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;

/** The options that say where living lists are: in which database. */
abstract class PlaceOptions extends Options {
    /** How long a command waits for one answer of a database. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    static final String CREATE = "--create";

    private static final String SQLITE = "jdbc:sqlite:";
    private static final String FILE = "file:";

    /** A file with less has no page of a database, as a first start leaves it if killed. */
    private static final long LEAST_SIZE = 512;

    private final Given<String> database =
            option(
                    "--database",
                    "URL",
                    Values.name(),
                    "The database: jdbc:sqlite:PATH of the file, also while James runs, or"
                            + " jdbc:postgresql://HOST/NAME.");

    private final Given<String> user =
            option("--user", "NAME", Values.name(), "With PostgreSQL: the user of the database.");

    private final Given<Path> passwordFile =
            option(
                    "--password-file",
                    "FILE",
                    Values.file(),
                    "With PostgreSQL: a file with one line, the password of the user.");

    private final Given<String> passwordVariable =
            option(
                    "--password-env",
                    "VARIABLE",
                    Values.name(),
                    "With PostgreSQL: the environment variable with that password.");

    PlaceOptions(Options command) {
        super(command);
    }

    /** Returns whether a database is given. */
    final boolean isInDatabase() {
        return database.isThere();
    }

    /** Prints a line on standard error. */
    final void note(String line) {
        err().println(line);
    }

    /**
     * Rejects options that do not belong to the place that is given.
     *
     * @param names where the names of lists go, for messages
     */
    final void requireConsistent(String names) {
        if (database.isThere() && !database.value().startsWith("jdbc:")) {
            throw wrong(
                    "--database: no database that is known; allowed: jdbc:sqlite:PATH, such as"
                            + " jdbc:sqlite:var/whitelist/lists.db, or jdbc:postgresql://HOST/NAME."
                            + " "
                            + names);
        }
    }

    /** Opens the database that is given. */
    final Database openDatabase() throws IOException {
        return openDatabase(database.value());
    }

    /** Returns whether a list that is missing is created. */
    boolean isToCreate() throws IOException {
        return false;
    }

    /** Rejects a list that a database does not have, which is a mistyped name. */
    final void requireList(Database opened, String name) throws IOException {
        SortedSet<String> there = opened.lists();
        if (!there.contains(name)) {
            throw new IOException(
                    "the database has no list '"
                            + name
                            + "'; there are: "
                            + (there.isEmpty() ? "none" : String.join(", ", there))
                            + "; nothing was done"
                            + howToCreate());
        }
    }

    /** Returns the end of a message that something is missing. */
    String howToCreate() {
        return "";
    }

    /** Opens a database. */
    final Database openDatabase(String url) throws IOException {
        if (url.startsWith(SQLITE)) {
            if (user.isThere() || passwordFile.isThere() || passwordVariable.isThere()) {
                throw wrong(
                        "--user, --password-file, --password-env: allowed only with PostgreSQL");
            }
            return openFile(url);
        }
        if (!user.isThere()) {
            throw wrong("--user is missing; allowed: a user of the database");
        }
        try {
            return Database.postgresWithoutPool(url, user.value(), password(), TIMEOUT);
        } catch (IllegalArgumentException e) {
            // The URL is not shown, since a password may be in it.
            throw wrong("--database: " + e.getMessage() + ", or jdbc:sqlite:PATH");
        }
    }

    private Database openFile(String url) throws IOException {
        String path = url.substring(SQLITE.length());
        if (path.startsWith(FILE)) {
            path = path.substring(FILE.length());
        }
        if (path.isEmpty() || path.startsWith("//") || path.startsWith(":") || path.contains("?")) {
            throw wrong(
                    "--database: '"
                            + Text.shown(url)
                            + "'; allowed: "
                            + SQLITE
                            + " and the path of a file, such as"
                            + " jdbc:sqlite:/opt/james/var/whitelist/lists.db, without settings");
        }
        Path file = Path.of(path);
        OthersFolders.refuseDatabase(file);
        String library = System.getProperty(Database.LIBRARY_FOLDER);
        if (library != null) {
            OthersFolders.refuse(Path.of(library));
        }
        FileState state = Disk.LOCAL.state(file);
        if (state.isRegular() && state.size() < LEAST_SIZE && !isToCreate()) {
            throw new IOException(
                    file
                            + ": "
                            + state.size()
                            + " bytes, too few for a database; nothing was done");
        }
        if (state.type() == FileState.Type.MISSING) {
            if (!isToCreate()) {
                throw new IOException(file + ": no such file; nothing was done" + howToCreate());
            }
            note(file + ": no such file; a new database is made");
        }
        return Database.sqliteWithoutPool(file, TIMEOUT);
    }

    private String password() throws IOException {
        if (passwordFile.isThere() && passwordVariable.isThere()) {
            throw wrong("one of --password-file and --password-env is allowed, not both");
        }
        if (passwordFile.isThere()) {
            return onlyLine(passwordFile.value());
        }
        if (!passwordVariable.isThere()) {
            return "";
        }
        String variable = passwordVariable.value();
        String password = System.getenv(variable);
        if (password == null) {
            throw new IOException(
                    "the environment has no variable " + variable + " (--password-env)");
        }
        return password;
    }

    private static String onlyLine(Path file) throws IOException {
        OthersFolders.refuseLinks(file);
        List<String> lines = TextFile.lines(Disk.LOCAL, file);
        if (lines.size() != 1) {
            throw new IOException(file + ": " + lines.size() + " lines; allowed: one");
        }
        return lines.getFirst().strip();
    }
}
