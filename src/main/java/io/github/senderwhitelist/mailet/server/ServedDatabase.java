package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.settings.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/** A list in a database, shown in metrics. */
record ServedDatabase(
        Living definition,
        LivingList list,
        Database database,
        Shared<DatabaseSource, Database> databases,
        WhitelistMetrics metrics)
        implements ServedList {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    /**
     * Opens a list. A database on another server need not be there yet.
     *
     * @throws IOException if the database is a file that cannot be opened
     */
    static ServedDatabase open(
            Living definition, Shared<DatabaseSource, Database> databases, WhitelistMetrics metrics)
            throws IOException {
        Database database = databases.acquire(definition.database(), DatabaseSource::open);
        LivingList list =
                LivingList.open(
                        definition.settings(),
                        database.record(definition.name()),
                        definition.base(),
                        new LogListener(definition.title()),
                        new ListCounters(metrics.lookupTimer()));
        metrics.living().show(definition.name(), list);
        return new ServedDatabase(definition, list, database, databases, metrics);
    }

    @Override
    public @Nullable String problem() {
        return problem(list.status());
    }

    /** Returns what is wrong with a list in a state, or null. */
    static @Nullable String problem(LivingStatus status) {
        if (!status.degraded()) {
            return null;
        }
        return status.problem() == null ? "the latest changes are not known" : status.problem();
    }

    @Override
    public void settle() {
        list.settle();
        database.keepNoneOpen();
    }

    @Override
    public void close() throws IOException {
        metrics.living().hide(definition.name());
        try {
            list.close();
        } finally {
            databases.release(definition.database());
        }
    }

    /**
     * Logs new bases, and when something fails and works again.
     *
     * @param title how the log names the list
     */
    private record LogListener(String title) implements LivingListener {
        @Override
        public void tableRead(LivingStatus status) {
            LOGGER.info(
                    "Whitelist {}: {} entries were read from the database and are active",
                    title,
                    status.entries());
        }

        @Override
        public void broken() {
            LOGGER.info(
                    "Whitelist {}: the log of its changes does not continue from where it was read"
                            + " last. The database was restored, or this server was away for long."
                            + " All entries are read again",
                    title);
        }

        @Override
        public void resumed(LivingStatus status) {
            LOGGER.info(
                    "Whitelist {}: {} entries as of {} were kept and are active; the changes"
                            + " since then follow",
                    title,
                    status.entries(),
                    status.asOf());
        }

        @Override
        public void notResumed(Exception cause) {
            LOGGER.warn(
                    "Whitelist {}: what was kept cannot be used: {}. All entries are read from the"
                            + " database.",
                    title,
                    cause.getMessage());
            LOGGER.debug("Whitelist {}: the cause", title, cause);
        }

        @Override
        public void unreadable(String why) {
            LOGGER.warn("Whitelist {}: {}. The row is ignored until it is rewritten.", title, why);
        }

        @Override
        public void failed(String what, Throwable cause) {
            LOGGER.error(
                    "Whitelist {}: {}: {}. It is tried again until it works.",
                    title,
                    what,
                    cause.getMessage());
            LOGGER.debug("Whitelist {}: the cause", title, cause);
        }

        @Override
        public void recovered() {
            LOGGER.info("Whitelist {}: its database can be read again", title);
        }
    }
}
