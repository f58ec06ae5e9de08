package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The parameters in one configuration, read by name where they are used. What nobody has read is
 * unknown: after all is read, {@link #refuseUnread} refuses it.
 *
 * <p>Every method that returns a value throws a {@link SettingException} for a wrong one; its
 * message is one line that names the parameter, the value and what is allowed. James then does not
 * start.
 */
public final class Parameters {
    /** URLs of files, for parameters that {@link #file} resolves. */
    static final ValueType<String> FILE =
            ValueType.text(
                    "a file URL such as file://conf/whitelist.txt (below James' folder) or"
                            + " file:///etc/whitelist.txt",
                    "file URL");

    private static final String URL = "file://";

    /** How many characters of a name may be wrong, so that another one was probably meant. */
    private static final int MAX_TYPOS = 3;

    private final String owner;
    private final Map<String, String> values;
    private final Files files;
    private final Map<String, Read> read = new TreeMap<>();

    /** What these are a part of; null if they are all. */
    private final @Nullable Parameters whole;

    /** Resolves the URLs of files, such as {@code file://conf/whitelist.txt}. */
    @FunctionalInterface
    public interface Files {
        Path file(String url) throws IOException;
    }

    /**
     * How a parameter was read.
     *
     * @param type the values that are allowed
     * @param defaultValue what is read when it is left out; null if there is no such value
     */
    public record Read(ValueType<?> type, @Nullable String defaultValue) {}

    /**
     * Reads nothing yet.
     *
     * @param owner what has these parameters, for messages
     * @param values the values in the configuration, by the names of parameters
     * @param files resolves the URLs of files
     */
    public Parameters(String owner, Map<String, String> values, Files files) {
        this(owner, values, files, null);
    }

    private Parameters(
            String owner, Map<String, String> values, Files files, @Nullable Parameters whole) {
        this.owner = owner;
        this.values = values;
        this.files = files;
        this.whole = whole;
    }

    /** Returns the parameters of something else that is configured, such as a list. */
    Parameters of(String other, Map<String, String> its) {
        return new Parameters(other, its, files);
    }

    /** Returns the same parameters, which know apart what is read of them from here on. */
    Parameters part() {
        return new Parameters(owner, values, files, this);
    }

    /** Returns the same without the value of a parameter. */
    Parameters without(String name) {
        Map<String, String> others = new HashMap<>(values);
        others.remove(name);
        return of(owner, others);
    }

    /** Returns what has these parameters, for messages. */
    public String owner() {
        return owner;
    }

    /** Returns all that was read, by name. */
    public Map<String, Read> read() {
        return Collections.unmodifiableMap(read);
    }

    private void note(String name, Read how) {
        read.put(name, how);
        if (whole != null) {
            whole.note(name, how);
        }
    }

    /** Returns whether a parameter is given. */
    boolean has(String name) {
        return values.containsKey(name);
    }

    /** Returns the value of a parameter; null if it is left out. */
    public <T> @Nullable T given(String name, ValueType<T> type) throws SettingException {
        note(name, new Read(type, null));
        String text = values.get(name);
        return text == null ? null : parse(name, type, text);
    }

    /** Returns the value of a parameter, or that of another text if it is left out. */
    public <T> T value(String name, ValueType<T> type, String defaultValue)
            throws SettingException {
        note(name, new Read(type, defaultValue));
        return parse(name, type, values.getOrDefault(name, defaultValue));
    }

    private <T> T parse(String name, ValueType<T> type, String text) throws SettingException {
        return type.parse(text.strip()).orElseThrow(() -> wrong(name, text, type.allowed()));
    }

    /** Returns a whole number, as {@link #value} does. The type has none that is no {@code int}. */
    public int number(String name, ValueType<Long> type, String defaultValue)
            throws SettingException {
        return Math.toIntExact(value(name, type, defaultValue));
    }

    /** Returns what is written for a parameter, without space around it; empty if nothing is. */
    public String text(String name, ValueType<String> type) {
        note(name, new Read(type, null));
        return values.getOrDefault(name, "").strip();
    }

    /** Returns the file whose URL a parameter has. */
    Path file(String name, String defaultValue) throws SettingException {
        return resolve(name, value(name, FILE, defaultValue), FILE.allowed());
    }

    /** Returns the folder in which James keeps what it makes of lists. */
    Path workDirectory() throws SettingException {
        return file("workDirectory", "file://var/whitelist");
    }

    /** Returns whether a value is the URL of a file. */
    static boolean isFile(String value) {
        return value.startsWith(URL);
    }

    /**
     * Returns the file of a URL in a parameter.
     *
     * @param allowed what is allowed there, for messages
     */
    Path resolve(String name, String url, String allowed) throws SettingException {
        if (!isFile(url)
                || url.length() == URL.length()
                || url.codePoints().anyMatch(Parameters::breaksLines)) {
            throw wrong(name, url, allowed);
        }
        Path file;
        try {
            file = files.file(url).toAbsolutePath().normalize();
        } catch (IOException | RuntimeException e) {
            throw new SettingException(
                    wrong(name, url, allowed).getMessage()
                            + " ("
                            + Text.shown(String.valueOf(e.getMessage()))
                            + ")");
        }
        if (file.getFileName() == null) {
            // The root of the file system.
            throw wrong(name, url, allowed);
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

    /** Rejects what is given and was not read. */
    public void refuseUnread() throws SettingException {
        refuseUnread("");
    }

    /**
     * Rejects what is given and was not read.
     *
     * @param of what has these parameters and no others, for messages
     */
    void refuseUnread(String of) throws SettingException {
        for (String name : new TreeSet<>(values.keySet())) {
            if (!read.containsKey(name)) {
                String near = nearest(name, read.keySet());
                throw wrong(
                        "unknown parameter '"
                                + Text.shown(name)
                                + "'"
                                + of
                                + (near == null ? "" : " (did you mean '" + near + "'?)")
                                + "; allowed: "
                                + String.join(", ", read.keySet()));
            }
        }
    }

    /** Rejects what is given among what was read. */
    void refuseGiven(String problem) throws SettingException {
        for (String name : read.keySet()) {
            if (has(name)) {
                throw wrong(name, problem);
            }
        }
    }

    /** Returns that of some names which was probably meant by another, or null. */
    private static @Nullable String nearest(String name, Collection<String> names) {
        int enough = Math.min(MAX_TYPOS, name.length() / 2);
        return names.stream()
                .filter(each -> typos(name, each) <= enough)
                .min(Comparator.comparingInt(each -> typos(name, each)))
                .orElse(null);
    }

    /** Returns the Levenshtein distance of two names, in any case. */
    private static int typos(String name, String other) {
        int[] before = new int[other.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= name.length(); i++) {
            int[] row = new int[before.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                boolean isSame =
                        Character.toLowerCase(name.charAt(i - 1))
                                == Character.toLowerCase(other.charAt(j - 1));
                row[j] =
                        Math.min(
                                before[j - 1] + (isSame ? 0 : 1),
                                1 + Math.min(before[j], row[j - 1]));
            }
            before = row;
        }
        return before[other.length()];
    }

    /** Returns the exception for a parameter that must be given, which names a misspelt one. */
    SettingException missing(String name, String allowed) {
        TreeSet<String> unread = new TreeSet<>(values.keySet());
        unread.removeAll(read.keySet());
        String near = nearest(name, unread);
        return wrong(
                name,
                " is missing"
                        + (near == null ? "" : " (did you mean it by '" + Text.shown(near) + "'?)")
                        + "; allowed: "
                        + allowed);
    }

    /** Returns the exception for a value, which says what is allowed instead. */
    public SettingException wrong(String name, String value, String allowed) {
        return wrong(name, " = '" + Text.shown(value) + "'; allowed: " + allowed);
    }

    /** Returns the exception for a parameter. */
    SettingException wrong(String name, String problem) {
        return wrong("parameter " + name + problem);
    }

    /** Returns an exception that names the owner. */
    SettingException wrong(String problem) {
        return new SettingException(owner + ": " + problem);
    }

    /** Returns what was read, as it is written or would be, by which readings can be compared. */
    Map<String, String> written() {
        Map<String, String> written = new TreeMap<>();
        read.forEach(
                (name, how) ->
                        written.put(
                                name,
                                values.getOrDefault(name, String.valueOf(how.defaultValue()))
                                        .strip()));
        return written;
    }

    /** Returns both of two parameters and their values, for messages. */
    String both(String name, String other) {
        return shown(name) + " and " + shown(other);
    }

    private String shown(String name) {
        return name + " = '" + Text.shown(Objects.requireNonNull(values.get(name))) + "'";
    }
}
