package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.Disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The parameters in one configuration, read by name where they are used. What nobody has read is
 * unknown: after all is read, {@link #refuseUnread} refuses it.
 *
 * <p>Every method that returns a value throws a {@link SettingException} for a wrong one; its
 * message is one line that names the parameter, the value and what is allowed. James then does not
 * start.
 */
public final class Parameters {
    static final String FILE_URLS =
            "a file URL such as file://conf/whitelist.txt (below James' folder) or"
                    + " file:///etc/whitelist.txt";

    private static final String URL = "file://";

    /** How many characters of a name may be wrong, so that another one was probably meant. */
    private static final int MAX_TYPOS = 3;

    private final String owner;
    private final Map<String, String> values;
    private final Files files;
    private final Map<String, Read> read = new TreeMap<>();

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

    /** Reads nothing yet of what the owner, named in messages, has in its configuration. */
    public Parameters(String owner, Map<String, String> values, Files files) {
        this.owner = owner;
        this.values = values;
        this.files = files;
    }

    /** Parses the condition of a matcher: {@code URL;name=value;name=value}. */
    public static Map<String, String> ofCondition(String owner, @Nullable String condition) {
        Map<String, String> values = new HashMap<>();
        String[] parts = condition == null ? new String[] {""} : condition.split(";", -1);
        values.put(ListParameters.WHITELIST, parts[0].strip());
        for (int i = 1; i < parts.length; i++) {
            String[] sides = parts[i].split("=", 2);
            String name = sides.length == 1 ? "" : sides[0].strip();
            if (name.isEmpty() || values.put(name, sides[1].strip()) != null) {
                throw new SettingException(
                        "%s: '%s' in '%s'; allowed: the list's file URL or name, then ;name=value, each name once"
                                .formatted(
                                        owner,
                                        Text.shown(parts[i].strip()),
                                        Text.shown(String.valueOf(condition))));
            }
        }
        return values;
    }

    /** Returns the parameters of something else that is configured, such as a list. */
    Parameters of(String other, Map<String, String> its) {
        return new Parameters(other, its, files);
    }

    public String owner() {
        return owner;
    }

    /** Returns the values as they are written, by the names of parameters. */
    public Map<String, String> values() {
        return values;
    }

    /** Returns all that was read, by name. */
    public Map<String, Read> read() {
        return Collections.unmodifiableMap(read);
    }

    /** Returns the value of a parameter; null if it is left out. */
    public <T> @Nullable T given(String name, ValueType<T> type) {
        read.put(name, new Read(type, null));
        String text = values.get(name);
        return text == null ? null : parse(name, type, text);
    }

    /** Returns the value of a parameter, or that of another text if it is left out. */
    public <T> T value(String name, ValueType<T> type, String defaultValue) {
        read.put(name, new Read(type, defaultValue));
        return parse(name, type, values.getOrDefault(name, defaultValue));
    }

    private <T> T parse(String name, ValueType<T> type, String text) {
        return type.parse(text.strip()).orElseThrow(() -> wrong(name, text, type.allowed()));
    }

    public int number(String name, ValueType<Long> type, String defaultValue) {
        return Math.toIntExact(value(name, type, defaultValue));
    }

    /**
     * Returns what is written for a parameter, without space around it; empty if nothing is.
     *
     * @param allowed what is allowed there, for messages
     */
    String text(String name, String allowed) {
        String given = given(name, anyText(allowed));
        return given == null ? "" : given;
    }

    private static ValueType<String> anyText(String allowed) {
        return new ValueType<>(Optional::of, allowed);
    }

    /**
     * Returns the secrets in a parameter or in the file that it names, one a line; null if it is
     * left out. Never log them.
     */
    @Nullable List<String> secrets(String name, String allowed) {
        String value = text(name, allowed);
        if (!value.startsWith(URL)) {
            return values.containsKey(name) ? List.of(value) : null;
        }
        try {
            return Disk.lines(Disk.LOCAL, file(name, value, allowed));
        } catch (IOException e) {
            throw wrong(
                    name,
                    ": " + e.getMessage() + "; allowed: a file of secrets in UTF-8, one a line");
        }
    }

    /** Returns the folder in which James keeps what it makes of lists. */
    public Path workDirectory() {
        String name = "workDirectory";
        return file(name, value(name, anyText(FILE_URLS), "file://var/whitelist"), FILE_URLS);
    }

    /**
     * Returns the file of a URL in a parameter. It has a name, which breaks no line of the log.
     *
     * @param allowed what is allowed there, for messages
     */
    Path file(String name, String url, String allowed) {
        SettingException wrong = wrong(name, url, allowed);
        boolean breaksLines =
                url.chars().anyMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029);
        if (url.startsWith(URL) && url.length() > URL.length() && !breaksLines) {
            try {
                Path file = files.file(url).toAbsolutePath().normalize();
                if (file.getFileName() != null) {
                    return file;
                }
            } catch (IOException | RuntimeException e) {
                String why = Text.shown(String.valueOf(e.getMessage()));
                throw new SettingException("%s (%s)".formatted(wrong.getMessage(), why), e);
            }
        }
        throw wrong;
    }

    public void refuseUnread() {
        refuseUnread("");
    }

    /** Refuses what is given and was not read, and says what has these parameters only. */
    void refuseUnread(String of) {
        for (String name : unread()) {
            throw wrong(
                    "unknown parameter '%s'%s%s; allowed: %s"
                            .formatted(
                                    Text.shown(name),
                                    of,
                                    meant(" (did you mean '%s'?)", name, read.keySet()),
                                    String.join(", ", read.keySet())));
        }
    }

    private Set<String> unread() {
        Set<String> unread = new TreeSet<>(values.keySet());
        unread.removeAll(read.keySet());
        return unread;
    }

    /** Returns words about that of some names which was probably meant by another, or nothing. */
    private static String meant(String words, String name, Collection<String> names) {
        int most = Math.min(MAX_TYPOS, name.length() / 2);
        return names.stream()
                .filter(each -> typos(name, each) <= most)
                .min(Comparator.comparingInt(each -> typos(name, each)))
                .map(each -> words.formatted(Text.shown(each)))
                .orElse("");
    }

    /**
     * Returns how many characters must be added, removed or changed to make a name of another, in
     * any case. Not by a library of James: the command line has none of them.
     */
    private static int typos(String name, String like) {
        String word = name.toLowerCase(Locale.ROOT);
        String other = like.toLowerCase(Locale.ROOT);
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= word.length(); i++) {
            int before = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = before + (word.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                before = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j - 1], row[j]));
            }
        }
        return row[other.length()];
    }

    /** Returns the exception for a parameter that must be given, which names a misspelt one. */
    SettingException missing(String name, String allowed) {
        String meant = meant(" (did you mean it by '%s'?)", name, unread());
        return wrong(name, " is missing" + meant + "; allowed: " + allowed);
    }

    /** Returns the exception for a value, which says what is allowed instead. */
    public SettingException wrong(String name, String value, String allowed) {
        return wrong(name, " = '" + Text.shown(value) + "'; allowed: " + allowed);
    }

    SettingException wrong(String name, String problem) {
        return wrong("parameter " + name + problem);
    }

    /** Returns an exception that names the owner. */
    public SettingException wrong(String problem) {
        return new SettingException(owner + ": " + problem);
    }
}
