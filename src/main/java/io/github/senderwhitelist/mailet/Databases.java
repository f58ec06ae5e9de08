package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.database.Database;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The databases that are open. Each is closed when the last of its lists has released it. */
final class Databases {
    private final Map<DatabaseSource, Shared> databases = new HashMap<>();

    /** A database and the number of lists that use it. */
    private static final class Shared {
        final Database database;
        int users;

        Shared(Database database) {
            this.database = database;
        }
    }

    /**
     * Returns a database, and opens it if it has no user yet.
     *
     * @throws IOException if it is a file that cannot be opened
     */
    synchronized Database acquire(DatabaseSource source) throws IOException {
        Shared shared = databases.get(source);
        if (shared == null) {
            shared = new Shared(source.open());
            databases.put(source, shared);
        }
        shared.users++;
        return shared.database;
    }

    /** Ends one use of a database, and closes it after its last use. */
    synchronized void release(DatabaseSource source) throws IOException {
        Shared shared = databases.get(source);
        if (shared != null && --shared.users == 0) {
            databases.remove(source);
            shared.database.close();
        }
    }
}
