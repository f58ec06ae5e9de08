package io.github.senderwhitelist.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** A pool of connections to PostgreSQL for many threads. It logs over SLF4J, as James does. */
final class PostgresPool implements PostgresEngine.Connections {
    /** The least that the pool takes. */
    private static final long LEAST_WAIT = 250;

    private final HikariDataSource pool;

    PostgresPool(PostgresSource source, Duration timeout, int size) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("sender-whitelist");
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Math.max(LEAST_WAIT, timeout.toMillis()));
        config.setValidationTimeout(Math.max(LEAST_WAIT, timeout.toMillis() / 2));
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        // Opens even while the database is gone.
        config.setInitializationFailTimeout(-1);
        pool = new HikariDataSource(config);
    }

    @Override
    public Connection connect() throws SQLException {
        return pool.getConnection();
    }

    @Override
    public void close() {
        pool.close();
    }
}
