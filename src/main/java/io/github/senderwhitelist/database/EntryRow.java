package io.github.senderwhitelist.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An entry as a row of a database. The column of the sender is its {@link SortKey}. That of the
 * recipients is the rest of the pair's, which is empty for all recipients. Their order as bytes is
 * that of entries.
 *
 * @param text the rules of all origins, with newlines between them: each as its line of a list, but
 *     without the sender and the recipients; null if there is no row
 * @param ends the milliseconds at which the last rule of an origin ends, of the origin of which
 *     that is first; null if none ends, and if the row was read
 */
record EntryRow(Key sender, @Nullable Key to, @Nullable String text, @Nullable Long ends) {
    /**
     * Returns the row of rules, or none if there are none.
     *
     * @throws IllegalArgumentException if there is a rule that no line of a list can say, or more
     *     than a snapshot can hold
     */
    static EntryRow of(Key sender, @Nullable Key to, List<Rule> of) {
        List<Rule> rules = RulesCodec.ordered(of.stream().distinct().toList());
        EntryRow row = new EntryRow(sender, to, text(sender, rules), ends(rules));
        if (!row.readable().equals(rules)) {
            throw new IllegalArgumentException("rules that no line of a list can say: " + of);
        }
        if (!RulesCodec.fit(rules)) {
            throw new IllegalArgumentException(
                    "too many lines with conditions for this sender and these recipients, "
                            + row
                            + ": together they take more than "
                            + RulesCodec.MAX_BYTES
                            + " bytes");
        }
        return row;
    }

    /** Returns the rules as text; null if there are none. */
    private static @Nullable String text(Key sender, List<Rule> rules) {
        List<String> lines = new ArrayList<>();
        for (Rule rule : rules) {
            String denied = rule.denied() ? "!" : "";
            String line = rule.line(sender, null);
            lines.add(denied + line.substring(denied.length() + sender.toString().length()));
        }
        return rules.isEmpty() ? null : String.join("\n", lines);
    }

    /** Returns when the first origin has nothing left that lasts; null if none ends. */
    private static @Nullable Long ends(List<Rule> rules) {
        Instant first = Instant.MAX;
        for (Origin origin : Origin.values()) {
            Instant end = ListRecord.end(rules.stream().filter(r -> r.origin() == origin).toList());
            first = end.isBefore(first) ? end : first;
        }
        return first.equals(Instant.MAX) ? null : (Long) first.toEpochMilli();
    }

    /**
     * Reads the columns {@code sender}, {@code recipient} and {@code rules}.
     *
     * @throws IOException if the first two are no keys
     */
    static EntryRow read(ResultSet row) throws SQLException, IOException {
        byte[] recipient = row.getBytes("recipient");
        return new EntryRow(
                key(row.getBytes("sender")),
                recipient.length == 0
                        ? null
                        : key(Arrays.copyOfRange(recipient, 1, recipient.length)),
                row.getString("rules"),
                null);
    }

    /** Returns the key whose {@link SortKey} this is. */
    private static Key key(byte[] bytes) throws IOException {
        int zero = 0;
        while (zero < bytes.length && bytes[zero] != 0) {
            zero++;
        }
        if (zero + 1 >= bytes.length) {
            throw new IOException(
                    "the database holds '"
                            + Text.shown(new String(bytes, UTF_8))
                            + "', which is no key");
        }
        return Key.of(
                Arrays.copyOf(bytes, zero), Arrays.copyOfRange(bytes, zero + 1, bytes.length));
    }

    /** Returns the sender and the recipients. */
    Pair pair() {
        return new Pair(sender, to);
    }

    /** Returns the values of all columns, in the order in which they are put. */
    @Nullable Object[] values(int list) {
        return new @Nullable Object[] {list, senderColumn(), recipientColumn(), text, ends};
    }

    /** Returns the column of the sender. */
    byte[] senderColumn() {
        return sender.bytes();
    }

    /** Returns the column of the recipients. */
    byte[] recipientColumn() {
        return column(to);
    }

    /** Returns the column of some recipients, or all if {@code to} is null. */
    static byte[] column(@Nullable Key to) {
        if (to == null) {
            return new byte[0];
        }
        byte[] pair = SortKey.of(to, to);
        return Arrays.copyOfRange(pair, to.bytes().length + 1, pair.length);
    }

    /**
     * Returns the entry, which has no rules if there is no row.
     *
     * @throws IOException if the rules are not lines of lists about it
     */
    Entry entry() throws IOException {
        List<Rule> rules = new ArrayList<>();
        for (String each : text == null ? new String[0] : text.split("\n", -1)) {
            String denied = each.startsWith("!") ? "!" : "";
            String line = denied + this + each.substring(denied.length());
            if (!(ListLine.parse(line) instanceof ListLine.Good(Entry entry))
                    || !new Entry(sender, to, entry.rules()).equals(entry)) {
                throw new IOException(
                        "the database holds for "
                                + Text.shown(toString())
                                + " a line that cannot be used, '"
                                + Text.shown(line)
                                + "'");
            }
            rules.add(entry.rules().getFirst());
        }
        return new Entry(sender, to, rules);
    }

    /**
     * Returns the rules, or none if the row cannot be used, so that it can be replaced by one that
     * can.
     */
    List<Rule> readable() {
        try {
            return entry().rules();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Returns the pair as a line of a list begins. */
    @Override
    public String toString() {
        return sender + (to == null ? "" : " to=" + to);
    }
}
