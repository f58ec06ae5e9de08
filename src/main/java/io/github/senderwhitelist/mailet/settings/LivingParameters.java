package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.living.LivingSettings;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of a list in a database. Messages never show a password, nor a URL, in which one
 * may stand.
 */
final class LivingParameters {
    /** A source of such a list, for messages. */
    static final String EXAMPLE = "jdbc:sqlite:file://var/whitelist/lists.db";

    /** The sources that are allowed. */
    static final ValueType<String> SOURCES =
            ValueType.text(
                    EXAMPLE + ", or jdbc:postgresql://host/database",
                    "`jdbc:sqlite:file://…` or `jdbc:postgresql://…`");

    private static final String JDBC = "jdbc:";
    private static final String SQLITE = "jdbc:sqlite:";
    private static final String USER = "user";
    private static final String PASSWORD = "password";
    private static final ValueType<String> USERS = ValueType.text("a user of the database", "text");
    private static final ValueType<String> PASSWORDS =
            ValueType.text("text, or the URL of a file with one line", "text, or a file URL");
    private static final ValueType<Duration> TIMES = ValueType.duration(Duration.ofMillis(10));

    private LivingParameters() {}

    /** Returns whether a source is a database. */
    static boolean isDatabase(String source) {
        return source.startsWith(JDBC);
    }

    /** Returns the definition of a list in a database. */
    static ListDefinition definition(String name, String source, Parameters parameters)
            throws SettingException {
        return new ListDefinition.Living(
                new LivingSettings(
                        name,
                        ListParameters.filterSize(parameters),
                        ListParameters.cacheSize(parameters),
                        ListParameters.cacheExpiry(parameters),
                        ListParameters.exactMemory(parameters),
                        parameters.value("pollInterval", TIMES, "2s"),
                        parameters.value("maxStaleness", TIMES, "30s"),
                        parameters.value(
                                "whenBehind",
                                ValueType.either("lastKnown", "unavailable"),
                                "lastKnown")),
                source(source, parameters),
                parameters.workDirectory());
    }

    private static DatabaseSource source(String source, Parameters parameters)
            throws SettingException {
        Parameters login = parameters.part();
        String user = login.text(USER, USERS);
        String password = login.text(PASSWORD, PASSWORDS);
        if (source.startsWith(SQLITE)) {
            login.refuseGiven(" is for PostgreSQL only");
            return embedded(source.substring(SQLITE.length()), parameters);
        }
        try {
            Database.requireUsable(source);
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(
                    ListParameters.SOURCE,
                    " cannot be used as a database; allowed: "
                            + SOURCES.allowed()
                            + " with user and password in parameters of their own ("
                            + e.getMessage()
                            + ")");
        }
        if (user.isEmpty()) {
            throw parameters.missing(USER, USERS.allowed());
        }
        return new DatabaseSource.PostgreSql(source, user, password(password, parameters));
    }

    private static DatabaseSource embedded(String url, Parameters parameters)
            throws SettingException {
        if (url.contains("?")) {
            throw parameters.wrong(
                    ListParameters.SOURCE,
                    SQLITE + url,
                    "a file URL after " + SQLITE + ", without settings");
        }
        return new DatabaseSource.Embedded(
                parameters.resolve(ListParameters.SOURCE, url, Parameters.FILE.allowed()));
    }

    /** Returns the password in the parameter or in the file that it names. */
    private static String password(String value, Parameters parameters) throws SettingException {
        if (!Parameters.isFile(value)) {
            return value;
        }
        Path file = parameters.resolve(PASSWORD, value, PASSWORDS.allowed());
        try {
            List<String> lines = DiskInput.lines(Disk.LOCAL, file);
            if (lines.size() == 1) {
                return lines.getFirst();
            }
        } catch (IOException e) {
            throw parameters.wrong(PASSWORD, ": " + e.getMessage());
        }
        throw parameters.wrong(PASSWORD, ": " + file + " must hold one line");
    }
}
