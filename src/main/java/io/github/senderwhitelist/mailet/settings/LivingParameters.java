package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;
import io.github.senderwhitelist.living.LivingSettings;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The parameters of a list in a database. Messages never show a password, nor a URL, in which one
 * may stand.
 */
final class LivingParameters {
    /** A source of such a list, for messages. */
    static final String EXAMPLE = "jdbc:sqlite:file://var/whitelist/lists.db";

    private static final String JDBC = "jdbc:";
    private static final String SQLITE = "jdbc:sqlite:";

    private final Parameters parameters;

    private LivingParameters(Parameters parameters) {
        this.parameters = parameters;
    }

    /** Returns whether a source is a database. */
    static boolean isDatabase(String source) {
        return source.startsWith(JDBC);
    }

    /** Returns the definition of a list in a database. */
    static ListDefinition definition(String name, Parameters parameters) throws SettingException {
        return new LivingParameters(parameters).definition(name);
    }

    private ListDefinition definition(String name) throws SettingException {
        parameters.refuse(
                Settings.OF_FILES,
                Settings.OF_DATABASES,
                " is for lists in files; the source of this one is a database");
        return new ListDefinition.Living(
                new LivingSettings(
                        name,
                        ListParameters.filterSize(parameters),
                        parameters.value(Settings.CACHE_SIZE),
                        parameters.value(Settings.CACHE_EXPIRY),
                        parameters.value(Settings.EXACT_MEMORY),
                        parameters.value(Settings.POLL_INTERVAL),
                        parameters.value(Settings.MAX_STALENESS),
                        parameters.value(Settings.BELIEVED_WHEN_BEHIND)),
                source(parameters.written(Settings.SOURCE)),
                parameters.file(Settings.WORK_DIRECTORY));
    }

    private DatabaseSource source(String source) throws SettingException {
        if (source.startsWith(SQLITE)) {
            return embedded(source.substring(SQLITE.length()));
        }
        try {
            Database.requireUsable(source);
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(
                    Settings.SOURCE,
                    " cannot be used as a database; allowed: "
                            + EXAMPLE
                            + ", or jdbc:postgresql://host/database with user and password in"
                            + " parameters of their own ("
                            + e.getMessage()
                            + ")");
        }
        String user = parameters.written(Settings.USER);
        if (user.isEmpty()) {
            throw parameters.wrong(
                    Settings.USER, " is missing; allowed: " + Settings.USER.type().allowed());
        }
        return new DatabaseSource.PostgreSql(source, user, password());
    }

    private DatabaseSource embedded(String url) throws SettingException {
        parameters.refuse(
                List.of(Settings.USER, Settings.PASSWORD), List.of(), " is for PostgreSQL only");
        if (url.contains("?")) {
            throw parameters.wrong(
                    Settings.SOURCE,
                    SQLITE + url,
                    "a file URL after " + SQLITE + ", without settings");
        }
        return new DatabaseSource.Embedded(parameters.file(Settings.FILE_SOURCE, url));
    }

    /** Returns the password in the parameter or in the file that it names. */
    private String password() throws SettingException {
        String value = parameters.written(Settings.PASSWORD);
        if (!value.startsWith("file://")) {
            return value;
        }
        Path file = parameters.file(Settings.PASSWORD, value);
        try {
            List<String> lines = TextFile.lines(Disk.LOCAL, file);
            if (lines.size() == 1) {
                return lines.getFirst();
            }
        } catch (IOException e) {
            throw parameters.wrong(Settings.PASSWORD, ": " + e.getMessage());
        }
        throw parameters.wrong(Settings.PASSWORD, ": " + file + " must hold one line");
    }
}
