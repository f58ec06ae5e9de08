package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Sha256;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The parameters that name lists, those of lists, and those of how much is learned into one. */
public final class ListParameters {
    /** The parameter that names the lists to ask. */
    public static final String WHITELIST = "whitelist";

    /** The parameter that names the list to change. */
    public static final String LIST = "list";

    /** The parameter that says what a list is read from. */
    static final String SOURCE = "source";

    private static final ValueType<String> LISTS =
            ValueType.text(
                    Parameters.FILE.allowed() + ", or the name of a list in conf/whitelists.xml");
    private static final ValueType<String> LIVING =
            ValueType.text("a list in conf/whitelists.xml whose source is a database");
    private static final ValueType<Long> COUNT = ValueType.whole(0, 1_000_000);
    private static final String RATE = "falsePositiveRate";
    private static final String BITS = "bitsPerAddress";
    private static final ValueType<FilterKind> KINDS =
            ValueType.oneOf(FilterKind::label, List.of(FilterKind.values()));
    private static final ValueType<Duration> TIMES = ValueType.duration(Duration.ofMillis(10));

    private ListParameters() {}

    /** Returns what is written for the lists to ask. */
    public static String whitelist(Parameters parameters) {
        return parameters.text(WHITELIST, LISTS);
    }

    /**
     * Returns the lists to ask, at least one. All other parameters were read before: what is left
     * is refused.
     */
    public static List<ListDefinition> asked(Parameters parameters, NamedLists named)
            throws SettingException {
        String written = whitelist(parameters);
        if (written.isEmpty()) {
            throw parameters.missing(
                    WHITELIST, "one or more lists, separated by commas: " + LISTS.allowed());
        }
        List<ListDefinition> lists = new ArrayList<>();
        boolean allNamed = true;
        for (String item : written.split(",", -1)) {
            String list = item.strip();
            boolean isNamed = ListName.hasForm(list);
            allNamed &= isNamed;
            lists.add(isNamed ? named(parameters, named, list) : unnamed(list, parameters));
        }
        parameters.refuseUnread(
                allNamed ? " (those of a named list stand in conf/whitelists.xml)" : "");
        return lists;
    }

    /** Returns the one list to change, which must be a living one. */
    public static Living changed(Parameters parameters, NamedLists named) throws SettingException {
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
    public static LearningLimits limits(Parameters parameters) throws SettingException {
        return new LearningLimits(
                parameters.value("validity", ValueType.days(1), "365d"),
                parameters.number("maxPerUser", COUNT, "5000"),
                maxNewPerDay(parameters));
    }

    /** Returns how many new entries, however they come, a user may have in a day. */
    public static int maxNewPerDay(Parameters parameters) throws SettingException {
        return parameters.number("maxNewPerDay", COUNT, "100");
    }

    private static ListDefinition named(Parameters user, NamedLists named, String name)
            throws SettingException {
        return definition(name, user.of(NamedLists.owner(name), named.values(user, name)));
    }

    /** Reads the definition of a list, which has no other parameters. */
    public static ListDefinition definition(String name, Parameters parameters)
            throws SettingException {
        String source = parameters.text(SOURCE, DatabaseSource.SOURCES);
        String allowed = Parameters.FILE.allowed();
        if (source.isEmpty()) {
            throw parameters.missing(SOURCE, allowed + ", or " + DatabaseSource.SOURCES.allowed());
        }
        boolean isDatabase = DatabaseSource.isDatabase(source);
        ListDefinition definition =
                isDatabase
                        ? living(name, source, parameters)
                        : new OfFile(
                                settings(
                                        name,
                                        parameters.resolve(SOURCE, source, allowed),
                                        parameters));
        parameters.refuseUnread(isDatabase ? " of a list in a database" : " of a list in a file");
        return definition;
    }

    private static Living living(String name, String source, Parameters parameters)
            throws SettingException {
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
        return new Living(
                settings, DatabaseSource.read(source, parameters), parameters.workDirectory());
    }

    private static OfFile unnamed(String url, Parameters parameters) throws SettingException {
        Path file = parameters.resolve(WHITELIST, url, LISTS.allowed());
        ListSettings settings = settings("", file, parameters);
        boolean isUsual =
                settings.equals(settings("", file, parameters.of(parameters.owner(), Map.of())))
                        && Objects.equals(file.getParent(), parameters.conf());
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

    /** Reads the parameters of a list in a file. */
    private static ListSettings settings(String name, Path file, Parameters parameters)
            throws SettingException {
        return new ListSettings(
                name,
                file,
                buildOptions(parameters),
                parameters.value("exactLookup", ValueType.either("on", "off"), "on"),
                cacheSize(parameters),
                exactMemory(parameters),
                parameters.value(
                        "reloadInterval", ValueType.duration(Duration.ofMillis(100)), "1s"),
                parameters.value("maxShrink", ValueType.SHARE, "50%"),
                parameters.workDirectory());
    }

    /** Returns how many exact answers are remembered. */
    private static long cacheSize(Parameters parameters) throws SettingException {
        return parameters.value("cacheSize", ValueType.whole(0, 100_000_000), "100000");
    }

    /** Returns the size of the largest exact store that is held in memory. */
    private static long exactMemory(Parameters parameters) throws SettingException {
        return parameters.value("exactMemory", ValueType.SIZE, "32m");
    }

    private static BuildOptions buildOptions(Parameters parameters) throws SettingException {
        FilterKind kind = parameters.given("filter", KINDS);
        try {
            return BuildOptions.of(kind, filterSize(parameters));
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(RATE, ": " + e.getMessage());
        }
    }

    private static FilterSize filterSize(Parameters parameters) throws SettingException {
        FilterSize rate = parameters.value(RATE, BuildOptions.RATES, "0.001");
        FilterSize bits = parameters.given(BITS, BuildOptions.BITS);
        if (bits != null && parameters.has(RATE)) {
            throw parameters.wrong(
                    "both " + RATE + " and " + BITS + " are given; allowed: one of the two");
        }
        return bits == null ? rate : bits;
    }
}
