package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/**
 * A line of a list as answers have it, in the order that Jackson of James 3.8 would change.
 *
 * @param key the sender
 * @param to the recipients, or null for all
 * @param origin whose line it is
 * @param line the line as a text list has it
 */
@JsonPropertyOrder({"key", "for", "origin", "line"})
record EntryLine(String key, @JsonProperty("for") @Nullable String to, String origin, String line) {
    /** The lines of a list that bears a name. */
    record Named(String list, List<EntryLine> lines) {}

    /** Returns the lines of entries. */
    static List<EntryLine> of(List<Entry> entries) {
        return entries.stream().flatMap(entry -> of(entry).stream()).toList();
    }

    /** Returns the lines of an entry. */
    static List<EntryLine> of(Entry entry) {
        return entry.rules().stream()
                .map(
                        rule ->
                                new EntryLine(
                                        entry.key().toString(),
                                        Objects.toString(entry.to(), null),
                                        rule.origin().label(),
                                        rule.line(entry.key(), entry.to())))
                .toList();
    }
}
