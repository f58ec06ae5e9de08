package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry as a row of a database.
 *
 * @param text the rules of all origins, with newlines between them: each as its line of a list, but
 *     without the sender and the recipients
 * @param ends the milliseconds at which the last rule of an origin ends, of the origin of which
 *     that is first; null if none ends, and if the row was read
 */
record EntryRow(PairKey key, String text, @Nullable Long ends) {
    /**
     * Returns the row of an entry.
     *
     * @throws IllegalArgumentException if there is a rule that no line of a list can say
     */
    static EntryRow of(Key sender, @Nullable Key to, List<Rule> of) {
        List<Rule> rules = RulesCodec.ordered(of.stream().distinct().toList());
        List<String> lines = new ArrayList<>();
        for (Rule rule : rules) {
            String denied = rule.denied() ? "!" : "";
            String line = rule.line(sender, null);
            lines.add(denied + line.substring(denied.length() + sender.toString().length()));
        }
        EntryRow row = new EntryRow(PairKey.of(sender, to), String.join("\n", lines), ends(rules));
        if (!row.readable().equals(rules)) {
            throw new IllegalArgumentException("rules that no line of a list can say: " + of);
        }
        return row;
    }

    /** Reads the columns {@code sender}, {@code recipient} and {@code rules}. */
    static EntryRow read(ResultSet row) throws SQLException {
        return new EntryRow(PairKey.read(row), row.getString("rules"), null);
    }

    /**
     * Returns the entry.
     *
     * @throws IOException if the key is none, or the rules are not lines of lists about it
     */
    Entry entry() throws IOException {
        Key sender = key.senderKey();
        Key to = key.recipientKey();
        String pair = key.toString();
        List<Rule> rules = new ArrayList<>();
        for (String each : text.split("\n", -1)) {
            String denied = each.startsWith("!") ? "!" : "";
            String line = denied + pair + each.substring(denied.length());
            if (!(ListLine.parse(line) instanceof ListLine.Good(Entry entry))
                    || !new Entry(sender, to, entry.rules()).equals(entry)) {
                throw new IOException(
                        "the database holds for "
                                + Text.shown(pair)
                                + " a line that cannot be used, '"
                                + Text.shown(line)
                                + "'");
            }
            rules.add(entry.rules().getFirst());
        }
        return new Entry(sender, to, rules);
    }

    /** Returns the rules, or none if the row cannot be used. */
    List<Rule> readable() {
        try {
            return entry().rules();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static @Nullable Long ends(List<Rule> rules) {
        Instant first = Instant.MAX;
        for (Origin origin : Origin.values()) {
            Instant end = ListRecord.end(rules.stream().filter(r -> r.origin() == origin).toList());
            first = end.isBefore(first) ? end : first;
        }
        return first.equals(Instant.MAX) ? null : (Long) first.toEpochMilli();
    }
}
