package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;

/**
 * A source of connections to PostgreSQL. The driver's own source would use Java's list of drivers,
 * in which the server may have another version of the driver.
 */
final class PostgresSource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    /**
     * Takes the settings.
     *
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    PostgresSource(String url, String user, String password, Duration timeout) {
        requireUsable(url);
        setURL(url);
        setUser(user);
        setPassword(password);
        int seconds = Math.toIntExact(timeout.plusMillis(999).toSeconds());
        setConnectTimeout(seconds);
        // Later than the server, whose message says more.
        setSocketTimeout(seconds + 1);
        setTcpKeepAlive(true);
        if (getServerNames().length > 1 && !url.contains("targetServerType=")) {
            setTargetServerType("primary");
        }
    }

    /**
     * Rejects URLs that the driver does not understand or that hold a user or a password.
     *
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    static void requireUsable(String url) {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new IllegalArgumentException(
                    "the URL of the database must begin with jdbc:postgresql:");
        }
        String lower = url.toLowerCase(Locale.ROOT);
        if (url.indexOf('@') >= 0 || lower.contains("password=") || lower.contains("user=")) {
            throw new IllegalArgumentException(
                    "the URL of the database must have no user and no password in it; they have"
                            + " settings of their own");
        }
        if (Driver.parseURL(url, null) == null) {
            throw new IllegalArgumentException(
                    "the URL of the database cannot be understood; an example:"
                            + " jdbc:postgresql://host:5432/name");
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(getUser(), getPassword());
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password)
            throws SQLException {
        Properties properties = new Properties();
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        Connection connection = new Driver().connect(getURL(), properties);
        if (connection == null) {
            throw new PSQLException("the URL is refused", PSQLState.CONNECTION_UNABLE_TO_CONNECT);
        }
        return connection;
    }
}
