package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Sha256;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The parameters that name lists, those of lists, and those of how much is learned into one. */
public final class ListParameters {
    /** The parameter that names the lists to ask. */
    public static final String WHITELIST = "whitelist";

    /** The parameter that names the list to change. */
    public static final String LIST = "list";

    static final String SOURCE = "source";
    static final String DATABASE = "jdbc:";

    /** A source that is a database, for messages. */
    static final String EXAMPLE = "jdbc:sqlite:file://var/whitelist/lists.db";

    private static final String SQLITE = "jdbc:sqlite:";
    private static final String USER = "user";
    private static final String PASSWORD = "password";
    private static final String RATE = "falsePositiveRate";
    private static final String BITS = "bitsPerAddress";

    private static final String LISTS =
            Parameters.FILE_URLS + ", or the name of a list in conf/whitelists.xml";
    private static final String LIVING = "a list in conf/whitelists.xml whose source is a database";
    private static final String DATABASES = EXAMPLE + ", or jdbc:postgresql://host/database";
    private static final String USERS = "a user of the database";
    private static final String PASSWORDS = "text, or the URL of a file with one line";
    private static final ValueType<Long> COUNT = ValueType.whole(0, 1_000_000);
    private static final ValueType<Duration> TIMES = ValueType.duration(Duration.ofMillis(10));
    private static final ValueType<Duration> RELOADS = ValueType.duration(Duration.ofMillis(100));

    private ListParameters() {}

    /** Returns what is written for the lists to ask. */
    public static String whitelist(Parameters parameters) {
        return parameters.text(WHITELIST, LISTS);
    }

    /** Returns the lists to ask, at least one, and refuses what was not read before or here. */
    public static List<ListDefinition> asked(Parameters parameters, NamedLists named) {
        String written = whitelist(parameters);
        if (written.isEmpty()) {
            throw parameters.missing(WHITELIST, "one or more lists, separated by commas: " + LISTS);
        }
        List<String> items = Stream.of(written.split(",", -1)).map(String::strip).toList();
        List<ListDefinition> lists =
                items.stream()
                        .map(
                                list ->
                                        ListName.hasForm(list)
                                                ? named(parameters, named, list)
                                                : unnamed(list, parameters))
                        .toList();
        boolean allNamed = items.stream().allMatch(ListName::hasForm);
        parameters.refuseUnread(
                allNamed ? " (those of a named list stand in conf/whitelists.xml)" : "");
        return lists;
    }

    /** Returns the one list to change, which must be a living one. */
    public static Living changed(Parameters parameters, NamedLists named) {
        String list = parameters.text(LIST, LIVING);
        if (named.living().contains(list)
                && named(parameters, named, list) instanceof Living living) {
            return living;
        }
        String allowed = named.livingAllowed();
        throw list.isEmpty()
                ? parameters.missing(LIST, allowed)
                : parameters.wrong(LIST, list, allowed);
    }

    /** Returns how much is learned for a user. */
    public static LearningLimits limits(Parameters parameters) {
        return new LearningLimits(
                parameters.value("validity", ValueType.days(1), "365d"),
                parameters.number("maxPerUser", COUNT, "5000"),
                maxNewPerDay(parameters));
    }

    /** Returns how many new entries, however they come, a user may have in a day. */
    public static int maxNewPerDay(Parameters parameters) {
        return parameters.number("maxNewPerDay", COUNT, "100");
    }

    private static ListDefinition named(Parameters user, NamedLists named, String name) {
        return definition(name, user.of(NamedLists.owner(name), named.values(user, name)));
    }

    /** Reads the definition of a list, which has no other parameters. */
    public static ListDefinition definition(String name, Parameters parameters) {
        String source = parameters.text(SOURCE, DATABASES);
        if (source.isEmpty()) {
            throw parameters.missing(SOURCE, Parameters.FILE_URLS + ", or " + DATABASES);
        }
        if (source.startsWith(DATABASE)) {
            Living living = living(name, source, parameters);
            parameters.refuseUnread(" of a list in a database");
            return living;
        }
        Path file = parameters.file(SOURCE, source, Parameters.FILE_URLS);
        OfFile ofFile = new OfFile(settings(name, file, parameters));
        parameters.refuseUnread(" of a list in a file");
        return ofFile;
    }

    private static Living living(String name, String source, Parameters parameters) {
        LivingSettings settings =
                new LivingSettings(
                        name,
                        filterSize(parameters),
                        cacheSize(parameters),
                        exactMemory(parameters),
                        parameters.value("pollInterval", TIMES, "2s"),
                        parameters.value("maxStaleness", TIMES, "30s"),
                        parameters.value(
                                "whenBehind",
                                ValueType.either("lastKnown", "unavailable"),
                                "lastKnown"));
        return new Living(settings, database(source, parameters), parameters.workDirectory());
    }

    private static DatabaseSource database(String source, Parameters parameters) {
        if (source.startsWith(SQLITE)) {
            String url = source.substring(SQLITE.length());
            String allowed = "a file URL after " + SQLITE + ", without settings";
            if (url.contains("?")) {
                throw parameters.wrong(SOURCE, source, allowed);
            }
            return new DatabaseSource(parameters.file(SOURCE, url, allowed).toString(), "", "");
        }
        String user = parameters.text(USER, USERS);
        List<String> passwords = parameters.secrets(PASSWORD, PASSWORDS);
        try {
            Database.requireUsable(source);
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(
                    SOURCE,
                    " cannot be used as a database; allowed: %s with user and password in parameters of their own (%s)"
                            .formatted(DATABASES, e.getMessage()));
        }
        if (user.isEmpty()) {
            throw parameters.missing(USER, USERS);
        }
        if (passwords != null && passwords.size() != 1) {
            throw parameters.wrong(PASSWORD, ": its file is another; allowed: " + PASSWORDS);
        }
        return new DatabaseSource(source, user, passwords == null ? "" : passwords.getFirst());
    }

    private static OfFile unnamed(String url, Parameters parameters) {
        Path file = parameters.file(WHITELIST, url, LISTS);
        String inConf = "file://conf/" + file.getFileName();
        ListSettings settings = settings("", file, parameters);
        boolean isUsual =
                settings.equals(settings("", file, parameters.of(parameters.owner(), Map.of())))
                        && file.equals(parameters.file(WHITELIST, inConf, LISTS));
        return new OfFile(settings(name(settings, isUsual), file, parameters));
    }

    /**
     * Returns a name for a list that is given by its URL: the name of its file, and six digits of a
     * hash of its path and parameters, without which is only a file in James' {@code conf} whose
     * name no list could have, with the usual parameters. It must not depend on other lists or
     * their order, since metrics keep it.
     */
    private static String name(ListSettings settings, boolean isUsual) {
        String name = settings.file().getFileName().toString().replaceAll("[^A-Za-z0-9._-]", "_");
        return isUsual && !ListName.hasForm(name)
                ? name
                : name + "-" + Sha256.hex(settings.toString(), 3);
    }

    private static ListSettings settings(String name, Path file, Parameters parameters) {
        return new ListSettings(
                name,
                file,
                buildOptions(parameters),
                parameters.value("exactLookup", ValueType.either("on", "off"), "on"),
                cacheSize(parameters),
                exactMemory(parameters),
                parameters.value("reloadInterval", RELOADS, "1s"),
                parameters.value("maxShrink", ValueType.SHARE, "50%"),
                parameters.workDirectory());
    }

    private static long cacheSize(Parameters parameters) {
        return parameters.value("cacheSize", ValueType.whole(0, 100_000_000), "100000");
    }

    private static long exactMemory(Parameters parameters) {
        return parameters.value("exactMemory", ValueType.SIZE, "32m");
    }

    private static BuildOptions buildOptions(Parameters parameters) {
        FilterKind kind = parameters.given("filter", BuildOptions.KINDS);
        try {
            return BuildOptions.of(kind, filterSize(parameters));
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(RATE, ": " + e.getMessage());
        }
    }

    private static FilterSize filterSize(Parameters parameters) {
        FilterSize rate = parameters.value(RATE, BuildOptions.RATES, "0.001");
        FilterSize bits = parameters.given(BITS, BuildOptions.BITS);
        if (bits != null && parameters.values().containsKey(RATE)) {
            throw parameters.wrong(
                    "both " + RATE + " and " + BITS + " are given; allowed: one of the two");
        }
        return bits == null ? rate : bits;
    }
}
