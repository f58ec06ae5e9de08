package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * An origin's entry for a sender and recipients, as a row of a database.
 *
 * @param text the rules, with newlines between them: each as its line of a list, but without the
 *     sender, the recipients and the origin
 */
record EntryRow(PairKey key, int origin, String text) {
    /** The condition on which loaded rules replace those that are there. */
    static final String DIFFERS = " whitelist_entry.rules <> excluded.rules";

    /** The same, unless they would take a denial away. */
    static final String DIFFERS_AND_KEEPS_DENIALS =
            DIFFERS
                    + " and not"
                    + " ('\n' || whitelist_entry.rules like '%\n!%'"
                    + " and '\n' || excluded.rules not like '%\n!%')";

    /**
     * Returns the row of an entry.
     *
     * @throws IllegalArgumentException if there are no rules, those of another origin, or one that
     *     no line of a list can say
     */
    static EntryRow of(Target target, List<Rule> of) {
        List<Rule> rules = RulesCodec.ordered(of.stream().distinct().toList());
        if (rules.isEmpty() || rules.stream().anyMatch(rule -> rule.origin() != target.origin())) {
            throw new IllegalArgumentException("no rules of one origin: " + of);
        }
        EntryRow row =
                new EntryRow(
                        PairKey.of(target.sender(), target.to()),
                        target.origin().code(),
                        String.join(
                                "\n",
                                rules.stream().map(rule -> text(target.sender(), rule)).toList()));
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

    /** Returns the rules, or none if the row cannot be used. */
    List<Rule> readable() {
        try {
            return rules();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Returns the milliseconds at which the last of the rules ends, or null if one never ends. */
    @Nullable Long ends() throws IOException {
        return ends(rules());
    }

    /** Returns the same of some rules. */
    static @Nullable Long ends(List<Rule> rules) {
        long last = Long.MIN_VALUE;
        for (Rule rule : rules) {
            if (rule.until() == null) {
                return null;
            }
            last = Math.max(last, rule.until().toEpochMilli());
        }
        return last;
    }
}
