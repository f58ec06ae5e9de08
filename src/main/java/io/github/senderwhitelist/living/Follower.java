package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Written;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * What is active on this server, and the only way in which it becomes newer: by reading the log.
 *
 * <p>A {@link State} is a base, which has all changes up to a position and none after, the changes
 * since, and the position up to which these were read. A change of this server's own takes the same
 * way as all others: the transaction that writes it also reads the log from the position to its
 * end, and once it has committed, those rows are applied, and the change is acknowledged. So
 * nothing is ever ahead of the position, and whoever knows the position knows all.
 *
 * <p>There is one flag, what is {@linkplain Owing owed}. Rows of a bulk set it, since they name no
 * keys, and so does a position from which the log does not continue, because the database was
 * restored or the log is too long: the position becomes the log's last row, and base, changes and
 * what is logged later stay active. Merges and restarts keep the flag. Only a reading of the table
 * settles it. While something is owed, an entry may differ from the record though nobody changes
 * it; so an edit then counts only if its row was read, and is repeated until it has one.
 *
 * <p>Readings of the log, changes and new bases of the table exclude each other, in the order in
 * which they came. A merge leaves the position as it is, and waits for none of them: they apply
 * what they have read to the state of that moment. Questions wait for nothing.
 */
final class Follower {
    /** The most memory that changes may take, in bytes. */
    static final long MAX_BYTES = 64L << 20;

    /** How often an edit is written before it is given up. */
    private static final int MAX_WRITES = 4;

    /** How long one waits for the others. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How long after its last row a bulk without an end is considered dead. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    /** How long a bulk that goes on may be owed. */
    private static final Duration MAX_OWED = Duration.ofMinutes(10);

    private final ListRecord record;
    private final LongSupplier nanos;
    private final long maxBytes;
    private final LivingListener listener;
    private final ReentrantLock lock = new ReentrantLock(true);
    private volatile @Nullable State state;
    private boolean closed;

    /** When the reading of the log began that ended last, by {@link #nanos}. */
    private volatile long readAt;

    /** Whether the log was read since the list was opened. */
    private volatile boolean hasRead;

    /** When a bulk was owed first, and when the table must be read for it, by {@link #nanos}. */
    private long owedSince;

    private volatile long dueAt;

    /**
     * Creates a follower that knows nothing.
     *
     * @param nanos a clock that never jumps
     */
    Follower(ListRecord record, LongSupplier nanos, long maxBytes, LivingListener listener) {
        this.record = record;
        this.nanos = nanos;
        this.maxBytes = maxBytes;
        this.listener = listener;
    }

    /**
     * What base and changes lack that the log does not bring, and only a reading of the table does.
     */
    enum Owing {
        /** They lack nothing. */
        NOTHING,

        /** The entries of a bulk, which the log does not name. */
        BULK,

        /**
         * Perhaps anything, since the log does not continue from where it was read: the list is
         * behind.
         */
        BREAK
    }

    /**
     * What is active.
     *
     * @param base the base with the changes since
     * @param changes the changes since
     * @param position up to which base and changes have all changes, but for what is owed
     * @param owing what is owed
     * @param tableReadAt when the table was read last, in milliseconds since 1970
     */
    record State(
            Generation base, Changes changes, Position position, Owing owing, long tableReadAt) {
        private State at(Position to, Owing owes) {
            return new State(base, changes, to, owes, tableReadAt);
        }
    }

    /** Returns what is active; null if nothing is known yet, or the list was closed. */
    @Nullable State state() {
        return state;
    }

    /** Begins with the base that was kept. */
    void resume(State kept) {
        oweBulk(true, false);
        replace(kept);
    }

    /**
     * Reads the log.
     *
     * @throws IOException if it cannot be read now; what is active stays
     */
    void read() throws IOException {
        acquire();
        try {
            State now = state;
            if (now == null) {
                return;
            }
            if (isFull()) {
                throw new IOException(
                        "the changes since the last base take " + now.changes.bytes() + " bytes");
            }
            long began = nanos.getAsLong();
            apply(record.log(now.position), began);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Edits the record. All edits are active when this returns.
     *
     * @return the effect of each edit, in their order
     * @throws IOException if an edit is refused, or was written, but is not active yet
     */
    List<Effect> write(List<Edit> edits, String who) throws IOException {
        acquire();
        List<Effect> effects = null;
        try {
            for (int i = 0; i < MAX_WRITES; i++) {
                State now = requireWritable();
                boolean always = now.owing != Owing.NOTHING;
                long began = nanos.getAsLong();
                Written written = record.write(edits, who, always, now.position);
                effects = effects == null ? written.effects() : effects;
                LogRows rows = Objects.requireNonNull(written.rows());
                Owing owes = apply(rows, began);
                boolean isRead = always || !written.effects().contains(Effect.NONE);
                if (rows.continues() && (isRead || owes == Owing.NOTHING)) {
                    return effects;
                }
            }
            throw new IOException("the log did not continue");
        } catch (IOException e) {
            if (effects == null) {
                throw e;
            }
            throw new IOException(
                    "the change was written, and becomes active once the table is read: "
                            + e.getMessage(),
                    e);
        } finally {
            lock.unlock();
        }
    }

    private State requireWritable() throws IOException {
        State now = state;
        if (now == null) {
            throw new IOException("changes are refused until the entries were read once");
        }
        if (isFull()) {
            throw new IOException(
                    "changes are refused until a new base can be made, since those since the last"
                            + " one take "
                            + now.changes.bytes()
                            + " bytes");
        }
        return now;
    }

    /** Applies rows that were read from the position on, and returns what is owed now. */
    private synchronized Owing apply(LogRows rows, long began) {
        State now = state;
        if (now == null) {
            return Owing.NOTHING; // The list was closed.
        }
        State next = applied(rows, now);
        state = next;
        readAt = began;
        hasRead = true;
        return next.owing;
    }

    /** Returns a state with rows applied. */
    private State applied(LogRows rows, State now) {
        if (!rows.continues()) {
            if (now.owing != Owing.BREAK) {
                listener.broken();
            }
            return now.at(rows.to(), Owing.BREAK);
        }
        rows.changes().forEach(now.changes::put);
        boolean isFirst = now.owing == Owing.NOTHING;
        if (rows.bulk()) {
            oweBulk(isFirst, rows.ended());
        }
        return now.at(rows.to(), rows.bulk() && isFirst ? Owing.BULK : now.owing);
    }

    /** Remembers when a bulk is read. */
    private void oweBulk(boolean isFirst, boolean hasEnded) {
        long time = nanos.getAsLong();
        owedSince = isFirst ? time : owedSince;
        long rest = MAX_OWED.toNanos() - (time - owedSince);
        dueAt = hasEnded ? time : time + Math.min(QUIET.toNanos(), rest);
    }

    /** A state, and a copy of its changes. */
    record Frozen(State state, Map<Pair, List<Rule>> changes) {}

    /** Returns what can be merged into a base; null if nothing is known. */
    synchronized @Nullable Frozen freeze() {
        State now = state;
        return now == null ? null : new Frozen(now, now.changes.frozen());
    }

    /**
     * Makes a merged base active, with the changes since these were frozen.
     *
     * @param next the base with no changes yet, which is closed if it does not become active
     * @return false if it was dropped, since the base was replaced meanwhile, or the list closed
     */
    @SuppressWarnings("ReferenceEquality")
    synchronized boolean merged(State next, Frozen frozen) {
        State now = state;
        if (now == null || now.base != frozen.state.base) {
            next.base.retire();
            return false;
        }
        next.changes.putNewer(now.changes, frozen.changes);
        return replace(next.at(now.position, now.owing));
    }

    /**
     * Makes a base of the table active. It begins without changes, and reads the log from its own
     * position to the end, so past the position that it replaces.
     *
     * @param next the base with its own position, and no changes; closed if it does not become
     *     active
     * @return false if the log does not continue from there, so that the table must be read again
     */
    boolean tableRead(State next) throws IOException {
        boolean isActive = false;
        try {
            acquire();
            try {
                long began = nanos.getAsLong();
                LogRows rows = record.log(next.position);
                if (rows.continues()) {
                    isActive = replace(applied(rows, next));
                    readAt = began;
                    hasRead = true;
                }
                return isActive;
            } finally {
                lock.unlock();
            }
        } finally {
            if (!isActive) {
                next.base.retire();
            }
        }
    }

    /** Makes a state of another base active, and returns false if the list was closed. */
    private synchronized boolean replace(State next) {
        State before = state;
        if (closed) {
            return false;
        }
        state = next;
        if (before != null) {
            before.base.retire();
        }
        return true;
    }

    /** Forgets all. Later questions are answered by nobody. */
    synchronized void close() {
        State last = state;
        closed = true;
        state = null;
        if (last != null) {
            last.base.retire();
        }
    }

    /** Returns whether the table must be read now. */
    boolean mustReadTable() {
        State now = state;
        return now == null
                || now.owing == Owing.BREAK
                || (now.owing == Owing.BULK && nanos.getAsLong() - dueAt >= 0);
    }

    /** Returns whether there is no more room for changes. */
    boolean isFull() {
        State now = state;
        return now != null && now.changes.bytes() >= maxBytes;
    }

    /** Returns whether changes of other servers may be missing for longer than some nanoseconds. */
    boolean isBehind(long maxNanos) {
        State now = state;
        return now == null
                || !hasRead
                || now.owing == Owing.BREAK
                || nanos.getAsLong() - readAt > maxNanos;
    }

    private void acquire() throws IOException {
        try {
            if (!lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(
                        "other changes take longer than " + PATIENCE.toSeconds() + " seconds");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
