package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The columns of a CSV file. Names are compared in lower case, by their letters and digits only.
 */
final class Columns {
    private final Map<String, Integer> places = new HashMap<>();

    Columns(List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            places.putIfAbsent(
                    names.get(i).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", ""), i);
        }
    }

    /** Returns whether there is a column with this name. */
    boolean has(String name) {
        return places.containsKey(name);
    }

    /**
     * Returns the field in the first of these columns that the file has, without surrounding white
     * space. Returns an empty string when the file has none of them.
     */
    String field(List<String> fields, String... names) {
        for (String name : names) {
            Integer place = places.get(name);
            if (place != null) {
                return place < fields.size() ? HiddenCharacters.strip(fields.get(place)) : "";
            }
        }
        return "";
    }
}
