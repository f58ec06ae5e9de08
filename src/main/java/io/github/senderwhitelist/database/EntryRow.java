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
        String sender = target.sender().toString();
        List<String> lines = new ArrayList<>();
        for (Rule rule : rules) {
            String line = with(rule, Origin.ADMIN).line(target.sender(), null);
            String denied = rule.denied() ? "!" : "";
            lines.add(denied + line.substring(denied.length() + sender.length()));
        }
        PairKey key = PairKey.of(target.sender(), target.to());
        EntryRow row = new EntryRow(key, target.origin().code(), String.join("\n", lines));
        if (!row.readable().equals(rules)) {
            throw new IllegalArgumentException("rules that say something else: " + row.text);
        }
        return row;
    }

    /** Reads the columns {@code sender}, {@code recipient}, {@code origin} and {@code rules}. */
    static EntryRow read(ResultSet row) throws SQLException {
        return new EntryRow(PairKey.read(row), row.getInt("origin"), row.getString("rules"));
    }

    private static Rule with(Rule rule, Origin origin) {
        return new Rule(rule.denied(), rule.from(), rule.until(), rule.auth(), origin, rule.note());
    }

    /** Returns whose entry it is, and for whom. */
    Target target() throws IOException {
        Origin of = Origin.ofCode((byte) origin);
        if (of == null) {
            throw new IOException("the database holds an unknown origin, " + origin);
        }
        return new Target(of, key.senderKey(), key.recipientKey());
    }

    /** Returns the same; null if it is none, so that nobody can ask for it. */
    @Nullable Target targetOrNull() {
        try {
            return target();
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns the rules.
     *
     * @throws IOException if they are not rules of lists about this key and of this origin
     */
    List<Rule> rules() throws IOException {
        Target target = target();
        List<Rule> rules = new ArrayList<>();
        for (String each : text.split("\n", -1)) {
            String denied = each.startsWith("!") ? "!" : "";
            String line = denied + target.sender() + each.substring(denied.length());
            if (!(ListLine.parse(line) instanceof ListLine.Good(Entry entry))
                    || !entry.key().equals(target.sender())
                    || entry.to() != null
                    || entry.rules().getFirst().origin() != Origin.ADMIN) {
                throw new IOException(
                        "the database holds for "
                                + Text.shown(key.toString())
                                + " a line that cannot be used, '"
                                + Text.shown(line)
                                + "'");
            }
            rules.add(with(entry.rules().getFirst(), target.origin()));
        }
        return rules;
    }

    /** Returns the rules as lines of a list. */
    List<String> lines() throws IOException {
        Key sender = key.senderKey();
        Key to = key.recipientKey();
        return rules().stream().map(rule -> rule.line(sender, to)).toList();
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
    @Nullable Long ends() {
        return ends(readable());
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
