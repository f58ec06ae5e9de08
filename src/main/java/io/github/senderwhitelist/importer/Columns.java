package io.github.senderwhitelist.importer;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The columns of a CSV file, by their names in small letters and nothing else. */
final class Columns {
    private final Map<String, Integer> places = new HashMap<>();

    Columns(List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            places.putIfAbsent(
                    names.get(i).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", ""), i);
        }
    }

    /** Whether there is a column of this name. */
    boolean has(String name) {
        return places.containsKey(name);
    }

    /** The field in the first of these columns that is there; empty when none is. */
    String field(List<String> fields, String... names) {
        for (String name : names) {
            Integer place = places.get(name);
            if (place != null) {
                return place < fields.size() ? fields.get(place).strip() : "";
            }
        }
        return "";
    }
}
