package io.github.senderwhitelist.living;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.living.Changes.Changed;
import io.github.senderwhitelist.living.ListRecord.Change;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Written;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What is active on this server, and the only way in which it becomes newer: by reading the log.
 *
 * <p>A {@link State} is a base, which has all changes up to a position and none after, the changes
 * since, and the position up to which these were read. A change of this server's own takes the same
 * way as all others: it is written into the record, and acknowledged once the log was read past it.
 * So nothing is ever ahead of the position, and whoever knows the position knows all.
 *
 * <p>There is one flag, what is {@linkplain Owing owed}. Rows of a bulk set it, since they name no
 * keys, and so does a position from which the log does not continue, because the database was
 * restored or the log is too long: the position becomes the log's last row, and base, changes and
 * what is logged later stay active. Merges and restarts keep the flag. Only a reading of the table
 * settles it. While something is owed, an entry may differ from the record though nobody changes
 * it; so an edit then counts only if it wrote a row that was read <em>as a row</em>, and is
 * repeated until it has.
 *
 * <p>{@link #read}, {@link #freeze} and the replacing of bases exclude each other. Questions wait
 * for nothing.
 */
final class Follower {
    /** The most memory that changes may take, in bytes. */
    static final long MAX_BYTES = 64L << 20;

    /** How often an edit is written before it is given up. */
    private static final int MAX_WRITES = 4;

    /** How long an edit waits for another reading of the log. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How long after its last row a bulk without an end is considered dead. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    /** How long a bulk that goes on may be owed. */
    private static final Duration MAX_OWED = Duration.ofMinutes(10);

    private final ListRecord record;
    private final LongSupplier nanos;
    private final long maxBytes;
    private final Consumer<String> unreadable;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable State state;

    /** When the reading of the log began that ended last, by {@link #nanos}. */
    private volatile long readAt;

    /** Whether the log was read since the list was opened. */
    private volatile boolean hasRead;

    /** When the flag was set, by {@link #nanos}. */
    private volatile long owedSince;

    /** When the flag was set last. */
    private volatile long owedAgain;

    /** Whether there is no reason to wait for more rows of a bulk. */
    private volatile boolean isDue;

    private volatile boolean closed;

    /**
     * Creates a follower that knows nothing.
     *
     * @param nanos a clock that never jumps
     * @param unreadable takes why rows of the record cannot be used
     */
    Follower(ListRecord record, LongSupplier nanos, long maxBytes, Consumer<String> unreadable) {
        this.record = record;
        this.nanos = nanos;
        this.maxBytes = maxBytes;
        this.unreadable = unreadable;
        this.readAt = nanos.getAsLong();
    }

    /**
     * What is active.
     *
     * @param base the base with the changes since
     * @param changes the changes since
     * @param position up to which base and changes have all changes, but for what is owed
     * @param owing what is owed
     * @param from the number of the row after which all rows were read one by one
     * @param tableReadAt when the table was read last, in milliseconds since 1970
     */
    record State(
            Generation base,
            Changes changes,
            Position position,
            Owing owing,
            long from,
            long tableReadAt) {
        /** Returns the state once the log does not continue; it is read from a position on. */
        private State broken(Position on) {
            return new State(base, changes, on, Owing.BREAK, on.seq(), tableReadAt);
        }
    }

    /** Returns what is active; null if nothing is known yet, or the list was closed. */
    @Nullable State state() {
        return state;
    }

    /** Begins with the base that was kept. */
    void resume(State kept) {
        lock.lock();
        try {
            owe(Owing.NOTHING, kept.owing, false);
            state = kept;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads the log.
     *
     * @return false if it did not continue, so that the table must be read
     * @throws IOException if it cannot be read now; what is active stays
     */
    boolean read() throws IOException {
        acquire();
        try {
            State now = state;
            return now == null || read(now);
        } finally {
            lock.unlock();
        }
    }

    private boolean read(State now) throws IOException {
        if (isFull()) {
            throw new IOException(
                    "the changes since the last base take " + now.changes.bytes() + " bytes");
        }
        long began = nanos.getAsLong();
        LogRows rows = record.log(now.position);
        if (rows == null) {
            Position last = record.last();
            owe(now.owing, Owing.BREAK, false);
            state = now.broken(last);
        } else {
            boolean isApplied = false;
            try {
                state = applied(rows, now);
                isApplied = true;
            } finally {
                if (!isApplied) {
                    // Some of the changes may be ahead of the position.
                    state = now.broken(now.position);
                    owe(now.owing, Owing.BREAK, false);
                }
            }
        }
        readAt = began;
        hasRead = true;
        return rows != null;
    }

    /** Returns a state with rows applied. */
    private State applied(LogRows rows, State now) {
        for (Change change : rows.changes()) {
            if (change.unreadable() != null) {
                unreadable.accept(change.unreadable());
            }
            now.changes.put(change.target(), change.rules());
        }
        Owing owing = now.owing.and(rows.bulk() ? Owing.BULK : Owing.NOTHING);
        if (rows.bulk()) {
            owe(now.owing, owing, rows.ended());
        }
        return new State(now.base, now.changes, rows.to(), owing, now.from, now.tableReadAt);
    }

    /** Remembers when the flag was set. */
    private void owe(Owing before, Owing now, boolean ended) {
        owedAgain = nanos.getAsLong();
        if (before == Owing.NOTHING) {
            owedSince = owedAgain;
        }
        isDue = ended || now == Owing.BREAK;
    }

    /**
     * Edits the record. All edits are active when this returns.
     *
     * @return the effect of each edit, in their order
     * @throws IOException if an edit is refused, or was written, but is not active yet
     */
    List<Effect> write(List<Edit> edits, String who) throws IOException {
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
        boolean always = now.owing != Owing.NOTHING;
        List<Effect> effects = new ArrayList<>();
        for (int i = 0; i < MAX_WRITES; i++) {
            Written written = record.write(edits, who, always);
            long writtenAt = nanos.getAsLong();
            add(written.effects(), effects);
            if (isActive(written, writtenAt)) {
                return List.copyOf(effects);
            }
            always = true;
        }
        throw new IOException("the change was written, and becomes active once the table is read");
    }

    /** Replaces those effects that are none. */
    private static void add(List<Effect> again, List<Effect> effects) {
        for (int i = 0; i < again.size(); i++) {
            if (i == effects.size()) {
                effects.add(again.get(i));
            } else if (effects.get(i) == Effect.NONE) {
                effects.set(i, again.get(i));
            }
        }
    }

    /**
     * Reads the log up to what was written, and returns whether that is active now. Only a reading
     * that began afterwards shows that the log continues: if the database was restored, the number
     * of what was written is one that was read before.
     */
    private boolean isActive(Written written, long writtenAt) throws IOException {
        try {
            acquire();
            try {
                State now = state;
                if (now != null && (!hasRead || readAt - writtenAt <= 0)) {
                    read(now);
                }
            } finally {
                lock.unlock();
            }
        } catch (IOException e) {
            throw new IOException(
                    "the change was written, and becomes active once the log is read: "
                            + e.getMessage(),
                    e);
        }
        State now = state;
        return now != null
                && now.position.seq() >= written.last()
                && (now.owing == Owing.NOTHING
                        || (written.hasRowOfEach() && written.first() > now.from));
    }

    /**
     * A state, and a copy of its changes.
     *
     * @param changes in the order of entries
     */
    record Frozen(State state, List<Map.Entry<byte[], Changed>> changes) {}

    /** Returns what can be merged into a base; null if nothing is known. */
    @Nullable Frozen freeze() throws IOException {
        acquire();
        try {
            State now = state;
            return now == null ? null : new Frozen(now, now.changes.frozen());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes a merged base active, with the changes since these were frozen.
     *
     * @param base the base with changes
     * @param changes its changes, which are none yet
     * @return false if it was dropped, since the base was replaced meanwhile, or the list closed
     */
    @SuppressWarnings("ReferenceEquality")
    boolean merged(Generation base, Changes changes, Frozen frozen) throws IOException {
        acquire();
        try {
            State now = state;
            if (now == null || now.base != frozen.state.base) {
                return false;
            }
            changes.putNewer(now.changes, frozen.changes);
            replace(
                    now,
                    new State(base, changes, now.position, now.owing, now.from, now.tableReadAt));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes a base of the table active. It begins without changes, and reads the log from its own
     * position to the end, so past the position that it replaces.
     *
     * @param next the base with its own position, and no changes
     * @return false if the log does not continue from there, so that the table must be read again
     */
    boolean tableRead(State next) throws IOException {
        acquire();
        try {
            long began = nanos.getAsLong();
            LogRows rows = closed ? null : record.log(next.position);
            if (rows == null) {
                return false;
            }
            State before = state;
            State now = applied(rows, next);
            readAt = began;
            hasRead = true;
            replace(before, now);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void replace(@Nullable State before, State now) {
        state = now;
        if (before != null) {
            before.base.retire();
        }
    }

    /** Returns whether the table must be read now. */
    boolean mustReadTable() {
        State now = state;
        if (now == null) {
            return true;
        }
        long time = nanos.getAsLong();
        return now.owing != Owing.NOTHING
                && (isDue
                        || time - owedAgain >= QUIET.toNanos()
                        || time - owedSince >= MAX_OWED.toNanos());
    }

    /** Returns whether there is no more room for changes. */
    boolean isFull() {
        State now = state;
        return now != null && now.changes.bytes() >= maxBytes;
    }

    /** Returns whether changes of other servers may be missing for longer than some nanoseconds. */
    boolean isBehind(long maxNanos) {
        State now = state;
        return now == null || !hasRead || now.owing == Owing.BREAK || staleness() > maxNanos;
    }

    /** Returns the nanoseconds since a change of other servers may have been missed. */
    long staleness() {
        return nanos.getAsLong() - readAt;
    }

    /** Forgets all. Later questions are answered by nobody. */
    void close() {
        lock.lock();
        try {
            State now = state;
            closed = true;
            state = null;
            if (now != null) {
                now.base.retire();
            }
        } finally {
            lock.unlock();
        }
    }

    private void acquire() throws IOException {
        try {
            if (!lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("another reading of the log does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
