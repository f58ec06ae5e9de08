package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The entries of lists in the form in which they are written as JSON. */
final class WebLines {
    private WebLines() {}

    /** Returns the lines of entries, each with what it is about and who put it. */
    static List<Map<String, @Nullable Object>> of(List<Entry> entries) {
        return entries.stream()
                .flatMap(entry -> entry.rules().stream().map(rule -> line(entry, rule)))
                .toList();
    }

    private static Map<String, @Nullable Object> line(Entry entry, Rule rule) {
        return ordered(
                "key",
                entry.key(),
                "for",
                entry.to(),
                "origin",
                rule.origin().label(),
                "line",
                rule.line(entry.key(), entry.to()));
    }

    /** Returns an object with these members: names and values in turn. */
    static Map<String, @Nullable Object> ordered(@Nullable Object... members) {
        Map<String, @Nullable Object> ordered = new LinkedHashMap<>();
        for (int i = 0; i < members.length; i += 2) {
            ordered.put(String.valueOf(members[i]), members[i + 1]);
        }
        return ordered;
    }
}
