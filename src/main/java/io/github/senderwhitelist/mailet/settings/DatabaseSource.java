package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.database.Database;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Where the entries of living lists are. Lists with equal sources share one database. */
public sealed interface DatabaseSource {
    /** How long a change, or a look at the feed, waits for the database. */
    Duration TIMEOUT = Duration.ofSeconds(5);

    /**
     * Opens the database.
     *
     * @throws IOException if it is a file that cannot be opened
     */
    Database open() throws IOException;

    /** A SQLite database in a file. */
    record Embedded(Path file) implements DatabaseSource {
        @Override
        public Database open() throws IOException {
            return Database.sqlite(file, TIMEOUT);
        }

        @Override
        public String toString() {
            return file.toString();
        }
    }

    /** A PostgreSQL database, which several servers may use. */
    record PostgreSql(String url, String user, String password) implements DatabaseSource {
        /** As many as ask for mails at once, and some for the feed and for changes. */
        private static final int CONNECTIONS = 12;

        @Override
        public Database open() {
            return Database.postgres(url, user, password, TIMEOUT, CONNECTIONS);
        }

        /** Returns the URL. The password is never shown. */
        @Override
        public String toString() {
            return url;
        }
    }
}
