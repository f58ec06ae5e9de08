package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Sha256;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The lists that parameters name, and the parameters of those in files. */
public final class ListParameters {
    /** The parameter that names the lists to ask. */
    public static final String WHITELIST = "whitelist";

    /** The parameter that names the list to change. */
    public static final String LIST = "list";

    /** The parameter that says what a list is read from. */
    static final String SOURCE = "source";

    private static final ValueType<String> LISTS =
            ValueType.text(
                    Parameters.FILE.allowed() + ", or the name of a list in conf/whitelists.xml",
                    "file URLs and names, separated by commas");
    private static final ValueType<String> LIVING =
            ValueType.text(
                    "a list in conf/whitelists.xml whose source is a database",
                    "a name in `conf/whitelists.xml`");
    private static final String RATE = "falsePositiveRate";
    private static final String BITS = "bitsPerAddress";
    private static final ValueType<FilterKind> KINDS =
            ValueType.oneOf(FilterKind::label, List.of(FilterKind.values()));

    private ListParameters() {}

    /** Returns what is written for the lists to ask. */
    public static String whitelist(Parameters parameters) {
        return parameters.text(WHITELIST, LISTS);
    }

    /** Returns the lists to ask, at least one. */
    public static List<ListDefinition> asked(Parameters parameters, NamedLists named)
            throws SettingException {
        String written = whitelist(parameters);
        if (written.isEmpty()) {
            throw parameters.missing(
                    WHITELIST, "one or more lists, separated by commas: " + LISTS.allowed());
        }
        Parameters ofFiles = parameters.part();
        settings("", Path.of(""), ofFiles);
        List<ListDefinition> lists = new ArrayList<>();
        boolean hasFiles = false;
        for (String item : written.split(",", -1)) {
            String list = item.strip();
            boolean isNamed = ListName.hasForm(list);
            hasFiles |= !isNamed;
            lists.add(isNamed ? named(parameters, named, list) : unnamed(list, ofFiles));
        }
        if (!hasFiles) {
            ofFiles.refuseGiven(" belongs to the list; set it in conf/whitelists.xml");
        }
        return lists;
    }

    /** Returns the one list to change, which must be a living one. */
    public static ListDefinition.Living changed(Parameters parameters, NamedLists named)
            throws SettingException {
        String list = parameters.text(LIST, LIVING);
        if (named.living().contains(list)
                && named(parameters, named, list) instanceof ListDefinition.Living living) {
            return living;
        }
        throw list.isEmpty()
                ? parameters.missing(LIST, named.livingAllowed(list))
                : parameters.wrong(LIST, list, named.livingAllowed(list));
    }

    private static ListDefinition named(Parameters user, NamedLists named, String name)
            throws SettingException {
        Parameters defined = user.of(NamedLists.owner(name), named.values(user, name));
        String source = defined.text(SOURCE, LivingParameters.SOURCES);
        if (source.isEmpty()) {
            throw defined.missing(
                    SOURCE,
                    Parameters.FILE.allowed() + ", or " + LivingParameters.SOURCES.allowed());
        }
        boolean isDatabase = LivingParameters.isDatabase(source);
        ListDefinition definition =
                isDatabase
                        ? LivingParameters.definition(name, source, defined)
                        // What is allowed in place of another source is a file, too.
                        : new ListDefinition.OfFile(
                                settings(
                                        name,
                                        defined.resolve(SOURCE, source, Parameters.FILE.allowed()),
                                        defined));
        defined.refuseUnread(isDatabase ? " of a list in a database" : " of a list in a file");
        return definition;
    }

    private static ListDefinition unnamed(String url, Parameters parameters)
            throws SettingException {
        Path file = parameters.resolve(WHITELIST, url, LISTS.allowed());
        return new ListDefinition.OfFile(settings(name(file, parameters), file, parameters));
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
                cacheExpiry(parameters),
                exactMemory(parameters),
                parameters.value(
                        "reloadInterval", ValueType.duration(Duration.ofMillis(100)), "1s"),
                parameters.value("maxShrink", ValueType.SHARE, "50%"),
                parameters.workDirectory());
    }

    /** Returns how many exact answers are remembered. */
    static long cacheSize(Parameters parameters) throws SettingException {
        return parameters.value("cacheSize", ValueType.whole(0, 100_000_000), "100000");
    }

    /** Returns for how long exact answers are remembered. */
    static Duration cacheExpiry(Parameters parameters) throws SettingException {
        return parameters.value("cacheExpiry", ValueType.duration(Duration.ofMillis(1)), "10m");
    }

    /** Returns the size of the largest exact store that is held in memory. */
    static long exactMemory(Parameters parameters) throws SettingException {
        return parameters.value("exactMemory", ValueType.SIZE, "32m");
    }

    /**
     * Returns a name for a list that is given by its URL: the name of its file, six digits of a
     * hash of its path, and the parameters whose values are not the default. The digits are left
     * out for a file in James' {@code conf} whose name no list could have. The name must not depend
     * on other lists or their order, since metrics keep it.
     *
     * @param parameters those of lists in files, all of which were read
     */
    private static String name(Path file, Parameters parameters) throws SettingException {
        StringBuilder name = new StringBuilder(plain(file.getFileName().toString()));
        if (!Objects.equals(file.getParent(), parameters.conf())
                || ListName.hasForm(name.toString())) {
            byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
            name.append('-').append(HexFormat.of().formatHex(Sha256.start().digest(path), 0, 3));
        }
        ListSettings list = settings("", file, parameters);
        for (Map.Entry<String, String> each : parameters.written().entrySet()) {
            String parameter = each.getKey();
            if (parameters.has(parameter)
                    && !settings("", file, parameters.without(parameter)).equals(list)) {
                name.append('-').append(parameter).append('_').append(plain(each.getValue()));
            }
        }
        return name.toString();
    }

    /** Replaces characters that are not plain in names of metrics. */
    private static String plain(String text) {
        return text.replaceAll("[^A-Za-z0-9._-]", "_");
    }

    private static BuildOptions buildOptions(Parameters parameters) throws SettingException {
        FilterKind kind = parameters.given("filter", KINDS);
        try {
            return BuildOptions.of(kind, filterSize(parameters));
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(RATE, ": " + e.getMessage());
        }
    }

    /** Returns the size of filters. */
    static FilterSize filterSize(Parameters parameters) throws SettingException {
        FilterSize rate = parameters.value(RATE, BuildOptions.RATES, "0.001");
        FilterSize bits = parameters.given(BITS, BuildOptions.BITS);
        if (bits != null && parameters.has(RATE)) {
            throw parameters.wrong(
                    "both " + parameters.both(RATE, BITS) + " are given; allowed: one of the two");
        }
        return bits == null ? rate : bits;
    }
}
