package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The parameters in one configuration. Every method that returns a value throws a {@link
 * SettingException} for a wrong one; its message is one line that names the parameter, the value
 * and what is allowed. James then does not start.
 */
public final class Parameters {
    private final String owner;
    private final Map<String, String> values;
    private final Files files;

    /** Resolves the URLs of files, such as {@code file://conf/whitelist.txt}. */
    @FunctionalInterface
    public interface Files {
        Path file(String url) throws IOException;
    }

    /**
     * Parses nothing yet.
     *
     * @param owner what has these parameters, for messages
     * @param values the values in the configuration, by the names of parameters
     * @param files resolves the URLs of files
     */
    public Parameters(String owner, Map<String, String> values, Files files) {
        this.owner = owner;
        this.values = values;
        this.files = files;
    }

    /** Returns the parameters of something else that is configured, such as a list. */
    Parameters of(String other, Map<String, String> its) {
        return new Parameters(other, its, files);
    }

    /** Returns the same without the value of a parameter. */
    Parameters without(Setting<?> setting) {
        Map<String, String> others = new HashMap<>(values);
        others.remove(setting.name());
        return of(owner, others);
    }

    /** Rejects parameters that are not among those allowed. */
    public void checkNames(Collection<Setting<?>> allowed) throws SettingException {
        SortedSet<String> names = Setting.names(allowed);
        for (String name : new TreeSet<>(values.keySet())) {
            if (!names.contains(name)) {
                throw wrong(
                        "unknown parameter '"
                                + Text.shown(name)
                                + "'; allowed: "
                                + String.join(", ", names));
            }
        }
    }

    /**
     * Rejects some parameters.
     *
     * @param except those of them that are allowed
     * @param problem why the others are not
     */
    void refuse(Collection<Setting<?>> some, Collection<Setting<?>> except, String problem)
            throws SettingException {
        for (Setting<?> setting : some) {
            if (has(setting) && !except.contains(setting)) {
                throw wrong(setting, problem);
            }
        }
    }

    /** Returns whether a parameter is given. */
    boolean has(Setting<?> setting) {
        return values.containsKey(setting.name());
    }

    /** Returns the value of a parameter; null if there is none, nor one that is usual. */
    public <T> @Nullable T given(Setting<T> setting) throws SettingException {
        String text = values.getOrDefault(setting.name(), setting.usual());
        if (text == null) {
            return null;
        }
        ValueType<T> type = setting.type();
        return type.parse(text.strip()).orElseThrow(() -> wrong(setting, text, type.allowed()));
    }

    /** Returns the value of a parameter that is usual when none is given. */
    public <T> T value(Setting<T> setting) throws SettingException {
        return Objects.requireNonNull(given(setting));
    }

    /** Returns what is written for a parameter, without space around it; empty if nothing is. */
    public String written(Setting<?> setting) {
        return values.getOrDefault(setting.name(), "").strip();
    }

    /** Returns the file whose URL a parameter has. */
    Path file(Setting<String> setting) throws SettingException {
        return file(setting, value(setting));
    }

    /** Returns the file of a URL in a parameter. */
    Path file(Setting<?> setting, String url) throws SettingException {
        String allowed = setting.type().allowed();
        if (!url.startsWith("file://")
                || url.length() == "file://".length()
                || url.codePoints().anyMatch(Parameters::breaksLines)) {
            throw wrong(setting, url, allowed);
        }
        Path file;
        try {
            file = files.file(url).toAbsolutePath().normalize();
        } catch (IOException | RuntimeException e) {
            throw new SettingException(
                    wrong(setting, url, allowed).getMessage()
                            + " ("
                            + Text.shown(String.valueOf(e.getMessage()))
                            + ")");
        }
        if (file.getFileName() == null) {
            // The root of the file system.
            throw wrong(setting, url, allowed);
        }
        return file;
    }

    /**
     * Returns whether a character would break a line, since files are named in lines of the log.
     */
    private static boolean breaksLines(int c) {
        return Character.isISOControl(c)
                || Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
    }

    /** Returns James' folder of configurations; null if there is none. */
    @Nullable Path conf() {
        try {
            return files.file("file://conf/").toAbsolutePath().normalize();
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** Returns the exception for a value, which says what is allowed instead. */
    SettingException wrong(Setting<?> setting, String value, String allowed) {
        return wrong(setting, " = '" + Text.shown(value) + "'; allowed: " + allowed);
    }

    /** Returns the exception for a parameter. */
    SettingException wrong(Setting<?> setting, String problem) {
        return wrong("parameter " + setting.name() + problem);
    }

    /** Returns an exception that names the owner. */
    SettingException wrong(String problem) {
        return new SettingException(owner + ": " + problem);
    }
}
