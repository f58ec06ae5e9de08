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
 * @param rules the rules of all origins, as snapshots have them ({@link RulesCodec}); null if there
 *     is no row
 * @param ends the milliseconds at which the last rule of an origin ends, of the origin of which
 *     that is first; null if none ends, and if the row was read
 */
@SuppressWarnings("ArrayRecordComponent") // rows are not compared, but their rules
record EntryRow(Pair pair, byte @Nullable [] rules, @Nullable Long ends) {
    /** Returns the row of a sender and recipients for whom nothing is there. */
    static EntryRow none(Pair pair) {
        return new EntryRow(pair, null, null);
    }

    /** Returns the rules of an origin; none if the row cannot be used. */
    List<Rule> rulesOf(Origin origin) {
        return readable().rulesOf(origin);
    }

    /**
     * Returns a row with other rules in place of those of an origin.
     *
     * @throws IllegalArgumentException if there is one of another origin, or that no line of a list
     *     can say, or all together are more than a snapshot can hold
     */
    EntryRow with(Origin origin, List<Rule> rules) {
        for (Rule rule : rules) {
            Entry entry = new Entry(pair.sender(), pair.to(), List.of(rule));
            ListLine line = ListLine.parse(rule.line(pair.sender(), pair.to()));
            if (rule.origin() != origin
                    || !(line instanceof ListLine.Good(Entry said))
                    || !said.equals(entry)) {
                throw new IllegalArgumentException("rules that no line of a list can say: " + rule);
            }
        }
        List<Rule> all = new ArrayList<>(rules);
        readable().rules().stream().filter(rule -> rule.origin() != origin).forEach(all::add);
        return of(pair, all);
    }

    /** Returns the row of rules, which lines can say. */
    static EntryRow of(Pair pair, List<Rule> rules) {
        List<byte[]> encoded = List.copyOf(RulesCodec.encoded(rules).keySet());
        if (RulesCodec.fitting(encoded) < encoded.size()) {
            throw new IllegalArgumentException(
                    "too many lines with conditions for this sender and these recipients, "
                            + pair
                            + ": together they take more than "
                            + RulesCodec.MAX_BYTES
                            + " bytes");
        }
        byte[] joined = encoded.isEmpty() ? null : RulesCodec.join(0, encoded);
        return new EntryRow(pair, joined, ends(new Entry(pair.sender(), pair.to(), rules)));
    }

    private static @Nullable Long ends(Entry entry) {
        Instant first = Instant.MAX;
        for (Origin origin : Origin.values()) {
            Instant end = ListRecord.end(entry.rulesOf(origin));
            first = end.isBefore(first) ? end : first;
        }
        return first.equals(Instant.MAX) ? null : first.toEpochMilli();
    }

    /**
     * Reads the columns {@code sender}, {@code recipient} and {@code rules}.
     *
     * @throws IOException if the first two are no keys
     */
    static EntryRow read(ResultSet row) throws SQLException, IOException {
        byte[] sender = row.getBytes("sender");
        byte[] recipient = row.getBytes("recipient");
        int rest = recipient.length == 0 ? 0 : 1 + recipient.length;
        byte[] pair = Arrays.copyOf(sender, sender.length + rest);
        System.arraycopy(recipient, 0, pair, pair.length - recipient.length, recipient.length);
        try {
            return new EntryRow(SortKey.entry(pair).pair(), row.getBytes("rules"), null);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException(
                    "the database holds '"
                            + Text.shown(new String(pair, UTF_8))
                            + "', which is no key",
                    e);
        }
    }

    /** Returns the values of all columns, in the order in which they are put. */
    @Nullable Object[] values(int list) {
        return new @Nullable Object[] {list, pair.sender().bytes(), column(pair.to()), rules, ends};
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
     * @throws IOException if the rules cannot be used
     */
    Entry entry() throws IOException {
        try {
            return new Entry(
                    pair.sender(),
                    pair.to(),
                    rules == null ? List.of() : RulesCodec.decode(rules, 0));
        } catch (IOException e) {
            throw new IOException(
                    "the database holds for "
                            + Text.shown(pair.toString())
                            + " what cannot be used: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Returns the entry, without rules if the row cannot be used: one that can may replace it. */
    Entry readable() {
        try {
            return entry();
        } catch (IOException e) {
            return new Entry(pair.sender(), pair.to(), List.of());
        }
    }
}
