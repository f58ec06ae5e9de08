package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What an origin has for a sender and recipients, as a row of a database.
 *
 * @param lines the lines of a list that say it, with newlines between them
 */
record EntryRow(PairKey key, int origin, String lines) {
    /**
     * Returns the row of an entry.
     *
     * @throws IllegalArgumentException if the entry has no rules, rules of several origins, or one
     *     that no line of a list can say
     */
    static EntryRow of(Entry entry) {
        List<Origin> origins = entry.rules().stream().map(Rule::origin).distinct().toList();
        if (origins.size() != 1) {
            throw new IllegalArgumentException(
                    "an entry with rules of " + origins.size() + " origins: " + entry);
        }
        List<Rule> rules = entry.rules().stream().distinct().toList();
        EntryRow row =
                new EntryRow(
                        PairKey.of(entry.key(), entry.to()),
                        origins.getFirst().code(),
                        String.join("\n", new Entry(entry.key(), entry.to(), rules).lines()));
        try {
            if (row.rules().equals(rules)) {
                return row;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        throw new IllegalArgumentException("lines that say something else: " + row.lines);
    }

    /** Reads the columns {@code sender}, {@code recipient}, {@code origin} and {@code lines}. */
    static EntryRow read(ResultSet row) throws SQLException {
        return new EntryRow(PairKey.read(row), row.getInt("origin"), row.getString("lines"));
    }

    /**
     * Returns the rules.
     *
     * @throws IOException if the lines are not lines of a list about this key and of this origin
     */
    List<Rule> rules() throws IOException {
        List<Rule> rules = new ArrayList<>();
        for (String line : lines.split("\n", -1)) {
            rules.add(rule(line));
        }
        return rules;
    }

    private Rule rule(String line) throws IOException {
        return switch (ListLine.parse(line)) {
            case ListLine.Good(Entry entry) -> {
                Rule rule = entry.rules().getFirst();
                if (!key.isOf(entry) || rule.origin().code() != origin) {
                    throw bad(line, "it is about another sender, recipient or origin");
                }
                yield rule;
            }
            case ListLine.Bad(String reason) -> throw bad(line, reason);
            case ListLine.Blank() -> throw bad(line, "it says nothing");
        };
    }

    private IOException bad(String line, String reason) {
        return new IOException(
                "the database holds for "
                        + Text.shown(key.toString())
                        + " a line that cannot be used, '"
                        + Text.shown(line)
                        + "': "
                        + reason);
    }

    /** Returns whether the lines of both are the same, in any order. */
    boolean saysSameAs(String others) {
        return Set.of(lines.split("\n", -1)).equals(Set.copyOf(List.of(others.split("\n", -1))));
    }

    /** Returns when the last of the rules ends, or null if one never ends. */
    @Nullable OffsetDateTime until() throws IOException {
        List<@Nullable Instant> ends = new ArrayList<>();
        for (Rule rule : rules()) {
            ends.add(rule.until());
        }
        return ends.contains(null)
                ? null
                : ends.stream()
                        .map(Objects::requireNonNull)
                        .max(Instant::compareTo)
                        .map(end -> end.atOffset(ZoneOffset.UTC))
                        .orElse(null);
    }

    /** Returns the rules of all rows. */
    static List<Rule> rules(List<EntryRow> rows) throws IOException {
        List<Rule> rules = new ArrayList<>();
        for (EntryRow row : rows) {
            rules.addAll(row.rules());
        }
        return rules;
    }
}
