package io.github.senderwhitelist.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

/** A source of connections, each of which is closed after its use. */
@FunctionalInterface
interface Connections {
    /** Returns a connection that commits each statement. */
    Connection connect() throws SQLException;

    /** Closes those that nobody uses. */
    default void close() {}

    /** Returns a pool for many threads. It logs over SLF4J, as James does. */
    static Connections pooled(DataSource source, Duration timeout, int size) {
        long leastWait = 250; // milliseconds, the least that the pool takes
        HikariConfig config = new HikariConfig();
        config.setPoolName("sender-whitelist");
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Math.max(leastWait, timeout.toMillis()));
        config.setValidationTimeout(Math.max(leastWait, timeout.toMillis() / 2));
        // Opens even while the database is gone.
        config.setInitializationFailTimeout(-1);
        HikariDataSource pool = new HikariDataSource(config);
        return new Connections() {
            @Override
            public Connection connect() throws SQLException {
                return pool.getConnection();
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }
}
