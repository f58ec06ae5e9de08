package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.database.Database;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where the entries of living lists are. Lists with equal sources share one database. Neither this
 * nor a message shows a password, nor a URL in which one may stand.
 *
 * @param place the path of a SQLite database, or the URL of a PostgreSQL database
 * @param user the user; empty for SQLite
 */
public record DatabaseSource(String place, String user, String password) {
    /** A source, for messages. */
    static final String EXAMPLE = "jdbc:sqlite:file://var/whitelist/lists.db";

    /** The sources that are allowed. */
    static final ValueType<String> SOURCES =
            ValueType.text(EXAMPLE + ", or jdbc:postgresql://host/database");

    private static final String SQLITE = "jdbc:sqlite:";
    private static final String USER = "user";
    private static final String PASSWORD = "password";
    private static final ValueType<String> USERS = ValueType.text("a user of the database");
    private static final ValueType<String> PASSWORDS =
            ValueType.text("text, or the URL of a file with one line");

    /** How long a change, or a look at the log, waits for the database. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** As many as ask for mails at once, and some for the log and for changes. */
    private static final int CONNECTIONS = 12;

    /** Returns whether the source of a list is a database. */
    static boolean isDatabase(String source) {
        return source.startsWith("jdbc:");
    }

    /** Reads the parameters. */
    static DatabaseSource read(String source, Parameters parameters) throws SettingException {
        if (source.startsWith(SQLITE)) {
            String url = source.substring(SQLITE.length());
            String allowed = "a file URL after " + SQLITE + ", without settings";
            if (url.contains("?")) {
                throw parameters.wrong(ListParameters.SOURCE, source, allowed);
            }
            Path file = parameters.resolve(ListParameters.SOURCE, url, allowed);
            return new DatabaseSource(file.toString(), "", "");
        }
        String user = parameters.text(USER, USERS);
        String oneLine = "a file that holds one line in UTF-8";
        List<String> passwords = parameters.secrets(PASSWORD, PASSWORDS, oneLine);
        try {
            Database.requireUsable(source);
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(
                    ListParameters.SOURCE,
                    " cannot be used as a database; allowed: %s with user and password in parameters of their own (%s)"
                            .formatted(SOURCES.allowed(), e.getMessage()));
        }
        if (user.isEmpty()) {
            throw parameters.missing(USER, USERS.allowed());
        }
        if (passwords != null && passwords.size() != 1) {
            throw parameters.wrong(PASSWORD, ": its file is another; allowed: " + oneLine);
        }
        return new DatabaseSource(source, user, passwords == null ? "" : passwords.getFirst());
    }

    /**
     * Opens the database.
     *
     * @throws IOException if it is a file that cannot be opened
     */
    public Database open() throws IOException {
        return isDatabase(place)
                ? Database.postgres(place, user, password, TIMEOUT, CONNECTIONS)
                : Database.sqlite(Path.of(place), TIMEOUT);
    }

    @Override
    public String toString() {
        return place;
    }
}
