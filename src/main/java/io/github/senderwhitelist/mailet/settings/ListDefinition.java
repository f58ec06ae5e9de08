package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.snapshot.Sha256;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** The definition of a list. Mailets and matchers with equal definitions share one copy. */
public sealed interface ListDefinition {
    /** Returns the name of the list in metrics and messages. */
    String name();

    Object source();

    /** Returns the database of the list's entries or, of a list in a file, of their use. */
    DatabaseSource database();

    /** Returns how the log names the list: by its source, after its name if it has one. */
    default String title() {
        return ListName.hasForm(name()) ? name() + " (" + source() + ")" : source().toString();
    }

    record OfFile(ListSettings settings) implements ListDefinition {
        @Override
        public String name() {
            return settings.name();
        }

        @Override
        public Path source() {
            return settings.file();
        }

        @Override
        public DatabaseSource database() {
            return DatabaseSource.usage(settings.workDirectory());
        }
    }

    /** A list in a database, whose base is kept in the work directory for the next start. */
    record Living(LivingSettings settings, DatabaseSource source, Path workDirectory)
            implements ListDefinition {
        @Override
        public String name() {
            return settings.name();
        }

        @Override
        public DatabaseSource database() {
            return source;
        }

        /** Returns the file in which the base is kept. */
        public Path base() {
            // Lists of the same name in other databases have other files.
            return workDirectory.resolve(name() + "-" + Sha256.hex(source.toString(), 6) + ".base");
        }
    }

    /**
     * Where the entries of living lists are. Lists with equal sources share one database. Neither
     * this nor a message shows a password, nor a URL in which one may stand.
     *
     * @param place the path of a SQLite database, or the URL of a PostgreSQL database
     * @param user the user; empty for SQLite
     */
    record DatabaseSource(String place, String user, String password) {
        /** How long a change, or a look at the log, waits for the database. */
        private static final Duration TIMEOUT = Duration.ofSeconds(5);

        /** As many as ask for mails at once, and some for the log and for changes. */
        private static final int CONNECTIONS = 12;

        /** Returns the database with the use of lists in files. */
        public static DatabaseSource usage(Path workDirectory) {
            return new DatabaseSource(workDirectory.resolve("usage.db").toString(), "", "");
        }

        /** Opens the database. Only one in a file must be there. */
        public Database open() throws IOException {
            return place.startsWith("jdbc:")
                    ? Database.postgres(place, user, password, TIMEOUT, CONNECTIONS)
                    : Database.sqlite(Path.of(place), TIMEOUT);
        }

        @Override
        public String toString() {
            return place;
        }
    }
}
