package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;
import io.github.senderwhitelist.living.LivingSettings;

import jakarta.mail.MessagingException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parses the definition of a list in a database. Messages never show a password, nor a URL, in
 * which one may stand.
 */
final class LivingParameters {
    private static final String USER = "user";
    private static final String PASSWORD = "password";
    private static final String POLL_INTERVAL = "pollInterval";
    private static final String MAX_STALENESS = "maxStaleness";
    private static final String WHEN_BEHIND = "whenBehind";
    private static final String LAST_KNOWN = "lastKnown";

    /** The parameters that only such lists have. */
    static final Set<String> NAMES =
            Set.of(USER, PASSWORD, POLL_INTERVAL, MAX_STALENESS, WHEN_BEHIND);

    /** The parameters that such lists and those in files have. */
    private static final Set<String> SHARED =
            Set.of(
                    NamedLists.SOURCE,
                    Parameters.FALSE_POSITIVE_RATE,
                    Parameters.BITS_PER_ADDRESS,
                    Parameters.CACHE_SIZE,
                    Parameters.CACHE_EXPIRY,
                    Parameters.EXACT_MEMORY,
                    Parameters.WORK_DIRECTORY);

    /** A source of such a list, for messages. */
    static final String EXAMPLE = "jdbc:sqlite:file://var/whitelist/lists.db";

    private static final String JDBC = "jdbc:";
    private static final String SQLITE = "jdbc:sqlite:";
    private static final Duration LEAST = Duration.ofMillis(10);

    private final String owner;
    private final Map<String, String> values;
    private final Parameters parameters;

    private LivingParameters(String owner, Map<String, String> values, Parameters parameters) {
        this.owner = owner;
        this.values = values;
        this.parameters = parameters;
    }

    /** Returns whether a source is a database. */
    static boolean isDatabase(String source) {
        return source.startsWith(JDBC);
    }

    /**
     * Returns the definition of a list in a database.
     *
     * @param owner what defines the list, for messages
     * @param values the values of the definition
     * @param parameters parses the values that other lists have, too
     */
    static ListDefinition parse(
            String owner, String name, Map<String, String> values, Parameters parameters)
            throws MessagingException {
        return new LivingParameters(owner, values, parameters).definition(name);
    }

    private ListDefinition definition(String name) throws MessagingException {
        for (String parameter : values.keySet()) {
            if (!NAMES.contains(parameter) && !SHARED.contains(parameter)) {
                throw new MessagingException(
                        owner
                                + ": parameter "
                                + parameter
                                + " is for lists in files; the source of this one is a database");
            }
        }
        return new ListDefinition.Living(
                new LivingSettings(
                        name,
                        parameters.filterSize(),
                        parameters.cacheSize(),
                        parameters.cacheExpiry(),
                        parameters.exactMemory(),
                        parameters.duration(POLL_INTERVAL, Duration.ofSeconds(2), LEAST),
                        parameters.duration(MAX_STALENESS, Duration.ofSeconds(30), LEAST),
                        parameters
                                .choice(WHEN_BEHIND, LAST_KNOWN, "unavailable")
                                .equals(LAST_KNOWN)),
                source(NamedLists.source(values)),
                parameters.workDirectory());
    }

    private DatabaseSource source(String source) throws MessagingException {
        if (source.startsWith(SQLITE)) {
            return embedded(source.substring(SQLITE.length()));
        }
        try {
            Database.requireUsable(source);
        } catch (IllegalArgumentException e) {
            throw new MessagingException(
                    owner
                            + ": parameter "
                            + NamedLists.SOURCE
                            + " cannot be used as a database; allowed: "
                            + EXAMPLE
                            + ", or"
                            + " jdbc:postgresql://host/database with user and password in"
                            + " parameters of their own ("
                            + e.getMessage()
                            + ")");
        }
        String user = values.getOrDefault(USER, "").strip();
        if (user.isEmpty()) {
            throw new MessagingException(
                    owner + ": parameter " + USER + " is missing; allowed: a user of the database");
        }
        return new DatabaseSource.PostgreSql(source, user, password());
    }

    private DatabaseSource embedded(String url) throws MessagingException {
        for (String parameter : List.of(USER, PASSWORD)) {
            if (values.containsKey(parameter)) {
                throw new MessagingException(
                        owner + ": parameter " + parameter + " is for PostgreSQL only");
            }
        }
        if (url.contains("?")) {
            throw new MessagingException(
                    owner
                            + ": parameter "
                            + NamedLists.SOURCE
                            + " = '"
                            + Text.shown(SQLITE + url)
                            + "'; allowed: a file URL after "
                            + SQLITE
                            + ", without settings");
        }
        return new DatabaseSource.Embedded(parameters.file(NamedLists.SOURCE, url));
    }

    /** Returns the password in the parameter or in the file that it names. */
    private String password() throws MessagingException {
        String value = values.getOrDefault(PASSWORD, "").strip();
        if (!value.startsWith("file://")) {
            return value;
        }
        Path file = parameters.file(PASSWORD, value);
        try {
            List<String> lines = TextFile.lines(Disk.LOCAL, file);
            if (lines.size() == 1) {
                return lines.getFirst();
            }
        } catch (IOException e) {
            throw new MessagingException(
                    owner + ": parameter " + PASSWORD + ": " + e.getMessage(), e);
        }
        throw new MessagingException(
                owner + ": parameter " + PASSWORD + ": " + file + " must hold one line");
    }
}
