package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Sha256;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The lists that parameters name. */
public final class ListParameters {
    private final Parameters parameters;

    /** The lists that are defined by name. */
    private final NamedLists named;

    private ListParameters(Parameters parameters, NamedLists named) {
        this.parameters = parameters;
        this.named = named;
    }

    /** Returns the lists to ask, at least one. */
    public static List<ListDefinition> asked(Parameters parameters, NamedLists named)
            throws SettingException {
        return new ListParameters(parameters, named).asked();
    }

    /** Returns the one list to change, which must be a living one. */
    public static ListDefinition.Living changed(Parameters parameters, NamedLists named)
            throws SettingException {
        String list = parameters.written(Settings.LIST);
        if (named.living().contains(list)
                && new ListParameters(parameters, named).named(list)
                        instanceof ListDefinition.Living living) {
            return living;
        }
        throw parameters.wrong(Settings.LIST, list, named.livingAllowed(list));
    }

    private List<ListDefinition> asked() throws SettingException {
        String written = parameters.written(Settings.WHITELIST);
        if (written.isEmpty()) {
            throw parameters.wrong(
                    Settings.WHITELIST,
                    " is missing; allowed: one or more lists, separated by commas: "
                            + Settings.WHITELIST.type().allowed());
        }
        List<ListDefinition> lists = new ArrayList<>();
        boolean files = false;
        for (String item : written.split(",", -1)) {
            String list = item.strip();
            boolean isNamed = ListName.hasForm(list);
            files |= !isNamed;
            lists.add(isNamed ? named(list) : new ListDefinition.OfFile(unnamed(list)));
        }
        if (!files) {
            parameters.refuse(
                    Settings.OF_FILES,
                    List.of(),
                    " belongs to the list; set it in conf/whitelists.xml");
        }
        return lists;
    }

    private ListDefinition named(String name) throws SettingException {
        Map<String, String> values = named.values(parameters, name);
        Parameters defined = parameters.of(NamedLists.owner(name), values);
        String source = defined.written(Settings.SOURCE);
        if (LivingParameters.isDatabase(source)) {
            return LivingParameters.definition(name, defined);
        }
        List<Setting<?>> allowed = new ArrayList<>(Settings.OF_FILES);
        allowed.add(Settings.SOURCE);
        defined.refuse(
                Settings.OF_DATABASES,
                allowed,
                " is for lists in databases; the source of this one is a file");
        // What is allowed as a source in place of this one is a file, too.
        return new ListDefinition.OfFile(
                list(name, defined.file(Settings.FILE_SOURCE, source), defined));
    }

    private ListSettings unnamed(String url) throws SettingException {
        Path file = parameters.file(Settings.WHITELIST, url);
        return list(name(file), file, parameters);
    }

    private static ListSettings list(String name, Path file, Parameters parameters)
            throws SettingException {
        return new ListSettings(
                name,
                file,
                buildOptions(parameters),
                parameters.value(Settings.EXACT_LOOKUP),
                parameters.value(Settings.CACHE_SIZE),
                parameters.value(Settings.CACHE_EXPIRY),
                parameters.value(Settings.EXACT_MEMORY),
                parameters.value(Settings.RELOAD_INTERVAL),
                parameters.value(Settings.MAX_SHRINK),
                parameters.file(Settings.WORK_DIRECTORY));
    }

    /**
     * Returns a name for a list that is given by its URL: the name of its file, six digits of a
     * hash of its path, and the parameters whose values are not the default. The digits are left
     * out for a file in James' {@code conf} whose name no list could have. The name must not depend
     * on other lists or their order, since metrics keep it.
     */
    private String name(Path file) throws SettingException {
        StringBuilder name = new StringBuilder(plain(file.getFileName().toString()));
        if (!Objects.equals(file.getParent(), parameters.conf())
                || ListName.hasForm(name.toString())) {
            byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
            name.append('-').append(HexFormat.of().formatHex(Sha256.start().digest(path), 0, 3));
        }
        ListSettings list = list("", file, parameters);
        for (Setting<?> setting : Settings.OF_FILES) {
            if (parameters.has(setting)
                    && !list("", file, parameters.without(setting)).equals(list)) {
                name.append('-')
                        .append(setting.name())
                        .append('_')
                        .append(plain(parameters.written(setting)));
            }
        }
        return name.toString();
    }

    /** Replaces characters that are not plain in names of metrics. */
    private static String plain(String text) {
        return text.replaceAll("[^A-Za-z0-9._-]", "_");
    }

    private static BuildOptions buildOptions(Parameters parameters) throws SettingException {
        try {
            return BuildOptions.of(parameters.given(Settings.FILTER), filterSize(parameters));
        } catch (IllegalArgumentException e) {
            throw parameters.wrong(Settings.FALSE_POSITIVE_RATE, ": " + e.getMessage());
        }
    }

    /** Returns the size of filters. */
    static FilterSize filterSize(Parameters parameters) throws SettingException {
        if (parameters.has(Settings.FALSE_POSITIVE_RATE)
                && parameters.has(Settings.BITS_PER_ADDRESS)) {
            throw parameters.wrong(
                    "both "
                            + shown(parameters, Settings.FALSE_POSITIVE_RATE)
                            + " and "
                            + shown(parameters, Settings.BITS_PER_ADDRESS)
                            + " are given; allowed: one of the two");
        }
        FilterSize bits = parameters.given(Settings.BITS_PER_ADDRESS);
        return bits == null ? parameters.value(Settings.FALSE_POSITIVE_RATE) : bits;
    }

    private static String shown(Parameters parameters, Setting<?> setting) {
        return setting.name() + " = '" + Text.shown(parameters.written(setting)) + "'";
    }
}
