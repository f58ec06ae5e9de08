package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;

/**
 * The entries of one list in a database that other servers may change, too.
 *
 * <p>Of each sender and recipients, an origin has at most one entry, which holds all its rules. No
 * origin changes another's entries. Every change has a line in the feed, in the same transaction,
 * so a server that reads the feed sees every change.
 *
 * <p>Every method that reads the database blocks at most for the timeout that the table was opened
 * with, except those that stream the whole table. Safe for use by any number of threads.
 */
public interface EntryTable extends Closeable {
    /** The effects that a change can have on the table. */
    enum Effect {
        /** There was no such entry before. */
        CREATED,
        /** There was one with other rules. */
        REPLACED,
        /** There was one with the same rules, or none to remove. Nothing has changed. */
        NONE,
        /** The entry is gone. */
        REMOVED
    }

    /**
     * The effect of a change, and its place in the feed.
     *
     * @param rules the present rules of the origin for the sender and recipients; none if it has no
     *     entry for them
     * @param number the number of the change in the feed. Of two changes of one origin's entry, the
     *     later has the greater one. 0 if nothing has changed
     * @param transaction the transaction of the change, for {@link #seen}; 0 if nothing has changed
     * @param token its random token; 0 if nothing has changed. If the database is put back, another
     *     change may have the same number, but has another token
     */
    record Done(Effect effect, List<Rule> rules, long number, long transaction, long token) {
        /** Copies the rules. */
        public Done {
            rules = List.copyOf(rules);
        }

        /** Returns the result of a change without effect. */
        public static Done none(List<Rule> rules) {
            return new Done(Effect.NONE, rules, 0, 0, 0);
        }
    }

    /**
     * Puts an entry in place of its origin's entry for the same sender and recipients.
     *
     * @param entry an entry whose rules, at least one, all have the same origin
     * @param who who did it, for the history
     * @throws IllegalArgumentException if the entry has no rules, rules of several origins, or a
     *     rule that no line of a list can have
     * @throws IOException if the database fails, refuses, or does not answer in time; the entry may
     *     have been put or not
     */
    Done put(Entry entry, String who) throws IOException;

    /**
     * Puts entries in their order, each as {@link #put} does, but all in one transaction and in
     * less time.
     *
     * @return the effect of each entry, in the same order
     * @throws IllegalArgumentException as {@link #put}; nothing was put then
     * @throws IOException as {@link #put}; all of the entries may have been put, or none
     */
    List<Done> putAll(List<Entry> entries, String who) throws IOException;

    /**
     * Puts entries that are computed from the present ones, all in one transaction. Entries that
     * others put at the same time are never lost: their rules are passed to {@code change}, or they
     * replace the result.
     *
     * @param change returns the rules to put in place of those that are there, or none for no
     *     entry. It may be called several times for one target
     * @param who who did it, for the history
     * @return what was done for each, in the same order
     * @throws IllegalArgumentException as {@link #put}; nothing was changed then
     * @throws IOException as {@link #put}; all may have been changed, or none
     */
    List<Done> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException;

    /**
     * Removes an origin's entry for a sender and some recipients, or all if {@code to} is null.
     *
     * @param who who did it, for the history
     * @throws IOException as {@link #put}
     */
    Done remove(Origin origin, Key sender, @Nullable Key to, String who) throws IOException;

    /**
     * An origin's entry for a sender and some recipients, or all if {@code to} is null.
     *
     * @param origin whose it is
     */
    record Target(Origin origin, Key sender, @Nullable Key to) {
        /** Returns the target of an entry whose rules all have one origin. */
        public static Target of(Entry entry) {
            return new Target(entry.rules().getFirst().origin(), entry.key(), entry.to());
        }
    }

    /**
     * Removes origins' entries, all in one transaction.
     *
     * @return what was done for each, in the same order
     * @throws IOException as {@link #remove}; all may have been removed, or none
     */
    List<Done> removeAll(List<Target> targets, String who) throws IOException;

    /**
     * Returns the rules of all origins for a sender and recipients, as {@link
     * io.github.senderwhitelist.decision.SenderLines#find} does. If {@code to} is null, the entry
     * has the kinds of recipients that other entries of the sender are for, and it may have no
     * rules of its own. Null when the sender has no entries.
     *
     * @throws IOException if the database fails or does not answer in time, or holds what it cannot
     *     hold
     */
    @Nullable Entry find(Key sender, @Nullable Key to) throws IOException;

    /**
     * Returns what {@link #find} does for each of many pairs, in their order.
     *
     * @throws IOException if the database fails or does not answer in time
     */
    default List<Found> findAll(List<Pair> pairs) throws IOException {
        List<Found> all = new ArrayList<>();
        for (Pair pair : pairs) {
            all.add(new Found(find(pair.sender(), pair.to()), null));
        }
        return all;
    }

    /**
     * The result of a lookup of a pair.
     *
     * @param entry the entry, or null if there is none
     * @param failure why what the database holds for the pair cannot be used; null if it can
     */
    record Found(@Nullable Entry entry, @Nullable IOException failure) {}

    /**
     * Returns the entries for one recipient in the order of {@link Entry#ORDER}.
     *
     * @param most how many at most
     */
    List<Entry> entriesFor(Key to, int most) throws IOException;

    /** The beginning of the note of an entry without {@code from=}. The day follows. */
    String ADDED = "added ";

    /**
     * The number of entries for one recipient.
     *
     * @param entries how many entries an origin has
     * @param newThen how many entries of the user and of learning are new on a day: those that
     *     begin on it, or whose note is {@value #ADDED} and the day
     */
    record Share(long entries, long newThen) {}

    /**
     * Returns how much there is for one recipient, without reading the entries.
     *
     * @param origin the origin in {@link Share#entries}
     * @param day a moment of the day, in UTC, in {@link Share#newThen}
     * @throws IOException if the database fails
     */
    Share share(Key to, Origin origin, Instant day) throws IOException;

    /**
     * Returns the senders of those entries of an origin for one recipient that end first.
     *
     * @param most how many at most
     * @throws IOException if the database fails
     */
    List<Key> firstToEnd(Key to, Origin origin, int most) throws IOException;

    /**
     * Returns the recipients for whom there are entries that are next to some in order, or the
     * first if {@code after} is null. Returns null if there are no more.
     *
     * @throws IOException if the database fails
     */
    @Nullable Key nextRecipient(@Nullable Key after) throws IOException;

    /**
     * Visits all entries in the order of {@link Entry#ORDER}, in bounded memory. Of entries that
     * change meanwhile, it visits the old or the new one. Rules of several origins for the same
     * sender and recipients are in one entry. Entries have no kinds, and at least one rule.
     *
     * @param unreadable takes why what is there for a sender and recipients cannot be used
     * @return a position that has seen all that was visited. If the feed does not go on from it,
     *     the database was put back, perhaps to a state without some of that
     * @throws IOException if the database fails meanwhile, or is put back to an older state
     */
    FeedPosition forEach(Consumer<Entry> visitor, Unreadable unreadable) throws IOException;

    /** Takes the reasons why rows of the database cannot be used. */
    @FunctionalInterface
    interface Unreadable {
        void take(IOException why) throws IOException;
    }

    /** Visits all entries, and fails at the first that cannot be used. */
    default FeedPosition forEach(Consumer<Entry> visitor) throws IOException {
        return forEach(
                visitor,
                why -> {
                    throw why;
                });
    }

    /**
     * Some entries that follow each other.
     *
     * @param entries entries as {@link #forEach} visits them; none only if there are no more
     * @param more whether there may be others after them
     */
    record Page(List<Entry> entries, boolean more) {}

    /**
     * Returns entries in the order of {@link Entry#ORDER}.
     *
     * @param after the entries after the sender and the recipients of this one; null for the first.
     *     It need not be in the table
     * @param most how many at most; there may be fewer, though others follow
     */
    Page page(@Nullable Entry after, int most) throws IOException;

    /** Returns the number of entries, where each origin counts for itself. */
    long count() throws IOException;

    /** Returns the position at which the feed is now. All changes up to it are visible. */
    FeedPosition position() throws IOException;

    /**
     * A change of an entry, and its present rules.
     *
     * @param sender the sender
     * @param to the recipients, or null for all
     * @param origin whose entry it is
     * @param rules the rules of the entry; none if it is gone or cannot be read
     * @param number as {@link Done#number}
     * @param transaction as {@link Done#transaction}
     * @param token as {@link Done#token}
     * @param unreadable why what the database holds cannot be used; null if it can
     */
    record Change(
            Key sender,
            @Nullable Key to,
            Origin origin,
            List<Rule> rules,
            long number,
            long transaction,
            long token,
            @Nullable String unreadable) {
        /** Copies the rules. */
        public Change {
            rules = List.copyOf(rules);
        }

        /** Returns the entry that it is about. */
        Target target() {
            return new Target(origin, sender, to);
        }

        /** Returns the change with a number that is greater than that of any other. */
        Change asLast() {
            return new Change(
                    sender, to, origin, rules, Long.MAX_VALUE, transaction, token, unreadable);
        }
    }

    /**
     * Visits the changes that were committed after a position was returned, each once, in any
     * order.
     *
     * @return the position after these changes; null when the given one is not of this table's feed
     *     any more, because the database was restored, the changes after it were not kept, or very
     *     many entries were imported: then read the table again. Nothing was visited then
     */
    @Nullable FeedPosition changes(FeedPosition after, Consumer<Change> visitor) throws IOException;

    /**
     * Returns a test whether the changes of a transaction that was committed are among those up to
     * a position of this feed. Reads no database. So it does not find out that the database was put
     * back to an older state since the position was returned; {@link #changes} does.
     *
     * @param position a position; if its text is none, no transaction passes the test
     */
    LongPredicate seen(FeedPosition position);

    /** Returns the last changes of a sender, the newest first, of all origins and recipients. */
    List<PastChange> history(Key sender, int most) throws IOException;

    /**
     * Deletes the history of the entries for one recipient. The entries stay, and so does the feed.
     *
     * @return how many changes were forgotten
     * @throws IOException as {@link #put}; some may have been forgotten
     */
    long forgetHistory(Key to) throws IOException;

    /**
     * Does what a change needs, and changes nothing.
     *
     * @throws IOException if a change would be refused
     */
    default void requireWritable() throws IOException {}

    /**
     * Removes entries whose rules all ended more than 90 days ago by the table's clock, and forgets
     * changes that are older than that. Takes as long as there is something to remove.
     *
     * @throws IOException as {@link #put}; some may have been removed
     */
    void sweep() throws IOException;
}
