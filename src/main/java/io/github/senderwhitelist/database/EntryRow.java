package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * An origin's entry for a sender and recipients, as a row of a database.
 *
 * @param text the rules, with newlines between them: each as its line of a list, but without the
 *     sender, the recipients and the origin
 */
record EntryRow(PairKey key, int origin, String text) {
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
        List<String> texts = rules.stream().map(rule -> text(entry.key(), rule)).toList();
        EntryRow row =
                new EntryRow(
                        PairKey.of(entry.key(), entry.to()),
                        origins.getFirst().code(),
                        String.join("\n", texts));
        try {
            if (row.rules().equals(rules)) {
                return row;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        throw new IllegalArgumentException("rules that say something else: " + row.text);
    }

    private static String text(Key sender, Rule rule) {
        Rule plain =
                new Rule(
                        rule.denied(),
                        rule.from(),
                        rule.until(),
                        rule.auth(),
                        Origin.ADMIN,
                        rule.note());
        String denied = rule.denied() ? "!" : "";
        return denied
                + plain.line(sender, null).substring(denied.length() + sender.toString().length());
    }

    /** Reads the columns {@code sender}, {@code recipient}, {@code origin} and {@code rules}. */
    static EntryRow read(ResultSet row) throws SQLException {
        return new EntryRow(PairKey.read(row), row.getInt("origin"), row.getString("rules"));
    }

    /** Returns the origin of a code. */
    static Origin originOf(int code) throws IOException {
        Origin origin = Origin.ofCode((byte) code);
        if (origin == null) {
            throw new IOException("the database holds an unknown origin, " + code);
        }
        return origin;
    }

    /** Returns rules as lines of a list; none if the text is null. */
    static List<String> lines(PairKey key, int origin, @Nullable String text) throws IOException {
        return text == null ? List.of() : new EntryRow(key, origin, text).lines();
    }

    /** Returns the rules as lines of a list. */
    List<String> lines() throws IOException {
        Origin of = originOf(origin);
        Key to = key.recipientKey();
        String after =
                (to == null ? "" : " to=" + to)
                        + (of == Origin.ADMIN ? "" : " origin=" + of.label());
        List<String> lines = new ArrayList<>();
        for (String each : text.split("\n", -1)) {
            boolean denied = each.startsWith("!");
            String conditions = denied ? each.substring(1) : each;
            int note = conditions.indexOf(" note=");
            int end = note < 0 ? conditions.length() : note;
            lines.add(
                    (denied ? "!" : "")
                            + key.senderKey()
                            + conditions.substring(0, end)
                            + after
                            + conditions.substring(end));
        }
        return lines;
    }

    /**
     * Returns the rules.
     *
     * @throws IOException if they are not rules of lists about this key and of this origin
     */
    List<Rule> rules() throws IOException {
        List<Rule> rules = new ArrayList<>();
        for (String line : lines()) {
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

    /** Returns the rules of a text; none if it is null. */
    static List<Rule> rules(PairKey key, int origin, @Nullable String text) throws IOException {
        return text == null ? List.of() : new EntryRow(key, origin, text).rules();
    }

    /** Returns whether one of the rules is a denial. */
    boolean denies() {
        return denies(text);
    }

    /** Returns whether one of the rules of a text is a denial. */
    static boolean denies(@Nullable String text) {
        return ("\n" + text).contains("\n!");
    }

    /** Returns whether the rules of both are the same, in any order. */
    boolean saysSameAs(String others) {
        return Set.of(text.split("\n", -1)).equals(Set.copyOf(List.of(others.split("\n", -1))));
    }

    /** Returns the milliseconds at which the last of the rules ends, or null if one never ends. */
    @Nullable Long ends() throws IOException {
        long last = Long.MIN_VALUE;
        for (Rule rule : rules()) {
            if (rule.until() == null) {
                return null;
            }
            last = Math.max(last, rule.until().toEpochMilli());
        }
        return last;
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
