package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;

import jakarta.mail.MessagingException;

import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;

import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The parameters in one configuration. Every method that returns a value throws a {@link
 * MessagingException} for a wrong one; its message is one line that names the parameter, the value
 * and what is allowed. James then does not start.
 */
public final class Parameters {
    /** The parameters that James itself reads for every mailet. */
    private static final Set<String> OF_EVERY_MAILET =
            Set.of("onMailetException", "onMatchException");

    private final String owner;
    private final Map<String, String> values;
    private final FileSystem files;

    /**
     * Parses nothing yet.
     *
     * @param owner what has these parameters, for messages
     * @param values the values in the configuration, by the names of parameters
     * @param files resolves the URLs of files
     */
    public Parameters(String owner, Map<String, String> values, FileSystem files) {
        this.owner = owner;
        this.values = values;
        this.files = files;
    }

    /** Returns the values that a mailet was configured with. */
    public static Map<String, String> values(GenericMailet mailet) {
        Map<String, String> values = new HashMap<>();
        for (Iterator<String> names = mailet.getInitParameterNames(); names.hasNext(); ) {
            String name = names.next();
            if (!OF_EVERY_MAILET.contains(name)) {
                values.put(name, mailet.getInitParameter(name));
            }
        }
        return values;
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
    public void checkNames(Collection<Setting<?>> allowed) throws MessagingException {
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
            throws MessagingException {
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
    public <T> @Nullable T given(Setting<T> setting) throws MessagingException {
        String text = values.getOrDefault(setting.name(), setting.usual());
        if (text == null) {
            return null;
        }
        ValueType<T> type = setting.type();
        return type.parse(text.strip()).orElseThrow(() -> wrong(setting, text, type.allowed()));
    }

    /** Returns the value of a parameter that is usual when none is given. */
    public <T> T value(Setting<T> setting) throws MessagingException {
        return Objects.requireNonNull(given(setting));
    }

    /** Returns what is written for a parameter, without space around it; empty if nothing is. */
    String written(Setting<?> setting) {
        return values.getOrDefault(setting.name(), "").strip();
    }

    /** Returns the file whose URL a parameter has. */
    Path file(Setting<String> setting) throws MessagingException {
        return file(setting, value(setting));
    }

    /** Returns the file of a URL in a parameter. */
    Path file(Setting<?> setting, String url) throws MessagingException {
        String allowed = setting.type().allowed();
        if (!url.startsWith("file://")
                || url.length() == "file://".length()
                || url.codePoints().anyMatch(Parameters::breaksLines)) {
            throw wrong(setting, url, allowed);
        }
        Path file;
        try {
            file = files.getFile(url).toPath().toAbsolutePath().normalize();
        } catch (FileNotFoundException | RuntimeException e) {
            throw new MessagingException(
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
            return files.getFile("file://conf/").toPath().toAbsolutePath().normalize();
        } catch (FileNotFoundException | RuntimeException e) {
            return null;
        }
    }

    /** Returns the exception for a value, which says what is allowed instead. */
    MessagingException wrong(Setting<?> setting, String value, String allowed) {
        return wrong(setting, " = '" + Text.shown(value) + "'; allowed: " + allowed);
    }

    /** Returns the exception for a parameter. */
    MessagingException wrong(Setting<?> setting, String problem) {
        return wrong("parameter " + setting.name() + problem);
    }

    /** Returns an exception that names the owner. */
    MessagingException wrong(String problem) {
        return new MessagingException(owner + ": " + problem);
    }
}
