package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.ValueType;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A parameter in a configuration of James.
 *
 * @param name the name of its element
 * @param meaning what it says, for the manual
 * @param type the values that are allowed
 * @param usual the value when it is left out, as it would be written; null if there is none
 * @param otherwise what holds when it is left out, for the manual
 */
public record Setting<T>(
        String name, String meaning, ValueType<T> type, @Nullable String usual, String otherwise) {
    /** A parameter with a value when it is left out. */
    static <T> Setting<T> of(String name, ValueType<T> type, String usual, String meaning) {
        return new Setting<>(name, meaning, type, usual, "`" + usual + "`");
    }

    /** A parameter that must be given, or whose absence says something of its own. */
    static <T> Setting<T> without(
            String name, ValueType<T> type, String otherwise, String meaning) {
        return new Setting<>(name, meaning, type, null, otherwise);
    }

    /** Returns the row of the parameter in the manual. */
    public String row() {
        String form = type.form().replace("|", "\\|");
        return String.join(" | ", "| `" + name + "`", meaning, form, otherwise + " |");
    }

    /** Returns the names of parameters in alphabetic order. */
    public static SortedSet<String> names(Collection<Setting<?>> settings) {
        SortedSet<String> names = new TreeSet<>();
        settings.forEach(setting -> names.add(setting.name));
        return names;
    }
}
