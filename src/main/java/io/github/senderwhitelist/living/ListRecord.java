package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.DomainSearch;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The record of one list: the tables that hold what is true, and the log, in which every change has
 * a number, in commit order. Any number of servers and commands change it at the same time.
 *
 * <p>Of each sender and recipients there is at most one entry, with the rules of all origins. An
 * edit replaces those of its own origin. A change and its row of the log are one transaction, which
 * first locks the list, so that numbers become visible in their order, without gaps. Removed rows
 * are always the first ones; the last row stays.
 *
 * <p>Methods fail with an {@link IOException} if the database fails, does not answer within the
 * timeout that it was opened with, or has no such list. Then all of a transaction was made, or
 * nothing. Safe for use by any number of threads.
 */
public interface ListRecord {
    /** How many rows {@link #log} reads at most; who lacks more reads the table. */
    int MAX_ROWS = 100_000;

    /** The beginning of the note of an entry without {@code from=}. The day follows. */
    String ADDED = "added ";

    /** The effect of an edit; with {@code NONE}, nothing has changed. */
    enum Effect {
        CREATED,
        REPLACED,
        REMOVED,
        NONE
    }

    /** An origin's entry for a sender and some recipients, or all if {@code to} is null. */
    record Target(Origin origin, Key sender, @Nullable Key to) {
        /** Returns the target of an entry whose rules all have one origin. */
        public static Target of(Entry entry) {
            return new Target(entry.rules().getFirst().origin(), entry.key(), entry.to());
        }

        /** Returns the sender and the recipients. */
        public Pair pair() {
            return new Pair(sender, to);
        }
    }

    /**
     * An edit of an entry: what returns the rules to store in place of those that are there, or
     * none for no entry. It is called in the transaction, perhaps several times.
     */
    record Edit(Target target, UnaryOperator<List<Rule>> change) {
        /** Returns the edit that stores an entry, whose rules all have one origin. */
        public static Edit put(Entry entry) {
            return new Edit(Target.of(entry), before -> entry.rules());
        }

        /** Returns the edit that removes an entry. */
        public static Edit remove(Target target) {
            return new Edit(target, before -> List.of());
        }
    }

    /**
     * A position in the log: the last row up to which changes are known. After the database was
     * restored, another row may have the same number, but has another token.
     *
     * @param epoch random, another one for each list that was made
     * @param seq the number of the row; 0 before the first one
     * @param token random, another one for each row; 0 before the first one
     */
    record Position(String epoch, long seq, long token) {}

    /**
     * The rows of the log after a position, as of one moment.
     *
     * @param continues whether the log continues from the position. If not, the epoch is another,
     *     the row is gone or has another token, or more than {@link #MAX_ROWS} follow; then there
     *     are no changes
     * @param to the position of the last row of the log
     * @param changes each entry that was changed once, as of {@code to}, in any order; without
     *     rules if it is gone, or cannot be used
     * @param bulk whether there are rows of bulks, which name no keys
     * @param ended whether the last of these is the end of its bulk
     */
    record LogRows(
            boolean continues, Position to, List<Entry> changes, boolean bulk, boolean ended) {}

    /** The effects of edits in their order, and the log after a position, if one was given. */
    record Written(List<Effect> effects, @Nullable LogRows rows) {}

    /**
     * Makes edits in their order, all in one transaction. Each that changes anything writes one row
     * into the log. The log is then read in the same transaction.
     *
     * @param who who did it, for the history
     * @param always whether each edit writes its row though it changes nothing
     * @param after where to read the log from, or null
     * @throws IllegalArgumentException if rules are of another origin than their target, are what
     *     no line of a list can say, or together with those of other origins do not fit into a
     *     snapshot; nothing has changed then
     */
    Written write(List<Edit> edits, String who, boolean always, @Nullable Position after)
            throws IOException;

    /** Makes edits of whoever follows no log, and returns their effects. */
    default List<Effect> write(List<Edit> edits, String who) throws IOException {
        return write(edits, who, false, null).effects();
    }

    /** Makes the list, without entries, unless it is there. */
    void create() throws IOException;

    /** Reads the log after a position. */
    LogRows log(Position after) throws IOException;

    /** Returns the position of the last row of the log. */
    default Position last() throws IOException {
        return log(new Position("", 0, 0)).to();
    }

    /** Takes one after the other. */
    @FunctionalInterface
    interface Visitor<T> {
        void visit(T each) throws IOException;
    }

    /**
     * Visits all entries in the order of {@link Entry#ORDER}, in bounded memory, as of one moment
     * of the database, however long that takes. The rules of all origins for the same sender and
     * recipients are in one entry. Entries have no kinds, and at least one rule.
     *
     * @param unreadable takes why what is there for a sender and recipients cannot be used
     * @return the position of that moment: all changes up to it were visited, and none after it
     */
    Position forEach(Visitor<Entry> visitor, Visitor<String> unreadable) throws IOException;

    /**
     * Returns the rules of all origins for each of some pairs, in their order. The entry for all
     * recipients has the kinds of recipients that other entries of the sender are for. Where there
     * is nothing, the entry has neither rules nor kinds. Fails also if what is there cannot be
     * used.
     */
    List<Entry> findAll(List<Pair> pairs) throws IOException;

    /** Returns the rules for one pair; null when there are neither rules nor kinds. */
    default @Nullable Entry find(Key sender, @Nullable Key to) throws IOException {
        Entry entry = findAll(List.of(new Pair(sender, to))).getFirst();
        return entry.rules().isEmpty() && entry.kinds().isEmpty() ? null : entry;
    }

    /** Returns the first entries for one recipient, in the order of {@link Entry#ORDER}. */
    List<Entry> entriesFor(Key to, int max) throws IOException;

    /**
     * How many entries of one recipient an origin has, and how many of the user and of learning are
     * new on a day: those that begin on it, or whose note is {@value #ADDED} and the day.
     */
    record Share(long entries, long newThen) {}

    /** Counts the entries for one recipient: those of an origin, and those new on a day in UTC. */
    default Share share(Key to, Origin origin, Instant day) throws IOException {
        LocalDate today = LocalDate.ofInstant(day, ZoneOffset.UTC);
        long entries = 0;
        long newThen = 0;
        for (Entry entry : entriesFor(to, Integer.MAX_VALUE)) {
            entries += entry.rulesOf(origin).isEmpty() ? 0 : 1;
            for (Origin own : List.of(Origin.USER, Origin.LEARNED)) {
                newThen += entry.rulesOf(own).stream().anyMatch(rule -> isNew(rule, today)) ? 1 : 0;
            }
        }
        return new Share(entries, newThen);
    }

    private static boolean isNew(Rule rule, LocalDate day) {
        return rule.note().startsWith(ADDED + day)
                || (rule.from() != null
                        && LocalDate.ofInstant(rule.from(), ZoneOffset.UTC).equals(day));
    }

    /** Returns when the last of some rules ends; {@link Instant#MAX} if one never does. */
    static Instant end(List<Rule> rules) {
        return rules.stream().map(Rule::end).max(Comparator.naturalOrder()).orElse(Instant.MAX);
    }

    /**
     * Returns the first entries after the sender and the recipients of one, which need not be
     * there, or of all if it is null, in the order of {@link Entry#ORDER}.
     */
    List<Entry> page(@Nullable Entry after, int max) throws IOException;

    /**
     * The entries that a search has found in a part of a list.
     *
     * @param last the last entry of the part, perhaps without its rules; null at the end
     */
    record Found(List<Entry> entries, @Nullable Entry last) {}

    /**
     * Searches a part of the list that takes some tenths of a second.
     *
     * @param after where the part begins, as for {@link #page}
     * @param max how many entries are wanted, with which the part ends
     */
    Found search(DomainSearch search, @Nullable Entry after, int max) throws IOException;

    /** Returns the first entries to end between two moments, in the order of their ends. */
    List<Entry> ending(Instant from, Instant to, int max) throws IOException;

    /** Returns the number of entries: of a sender and recipients, all origins have one. */
    long count() throws IOException;

    /**
     * A change in the history of a list.
     *
     * @param at when it was made, by the clock of the server that made it
     * @param who who made it
     * @param origin whose entry was changed
     * @param key the sender, and the recipients after {@code " to="} if the entry is not for all
     * @param lines the lines of the entry afterwards; none when it was removed
     */
    record PastChange(Instant at, String who, Origin origin, String key, List<String> lines) {}

    /** Returns the last changes of a sender, or of all if it is null, the newest first. */
    List<PastChange> history(@Nullable Key sender, int max) throws IOException;

    /**
     * Deletes the history of the entries for one recipient, and returns how many changes it had.
     */
    long forgetHistory(Key to) throws IOException;

    /** Does what a change needs, and changes nothing; fails if a change would be refused. */
    void requireWritable() throws IOException;

    /**
     * Removes entries whose rules all ended more than 90 days ago by the database's clock, each
     * with its row in the log. Removes the first rows of the log: those before the last {@link
     * #MAX_ROWS}, and those that are older than 90 days. The very last row stays, without its key
     * once it is old. Forgets history that is older. Takes as long as there is something to remove.
     */
    void sweep() throws IOException;

    /** An entry as it was there, and as it was to be loaded, with other rules. */
    record Other(Entry before, Entry now) {}

    /** How many entries of a part are new or have changed, and which were there otherwise. */
    record Loaded(long changed, List<Other> others) {}

    /**
     * Stores a part of very many entries, some 10,000, each in place of its origin's, in one
     * transaction that writes a single row of a bulk into the log. No history is written. Servers
     * read the table once the bulk has ended.
     *
     * @param entries each with rules of one origin
     * @param replaceDenials whether a denial that is there is replaced by an entry without one, too
     * @throws IllegalArgumentException as {@link #write}
     */
    Loaded load(List<Entry> entries, boolean replaceDenials) throws IOException;

    /** Ends a bulk: writes the row at which servers read the table at once. */
    void endLoad() throws IOException;
}
