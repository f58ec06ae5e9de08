package io.github.senderwhitelist.living;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Written;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotWriter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
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
 * since, and the position up to which these were read. The transaction that writes a change of this
 * server's own also reads the log from the position to its end; once it has committed, those rows
 * are applied, and the change is acknowledged. So nothing is ever ahead of the position.
 *
 * <p>There is one flag, what is {@linkplain Owing owed}. Rows of a bulk set it, since they name no
 * keys, and so does a position from which the log does not continue, because the database was
 * restored or the log is too long: the position becomes the log's last row, and base, changes and
 * what is logged later stay active. Merges and restarts keep the flag. Only a reading of the table
 * settles it. While something is owed, an entry may differ from the record though nobody changes
 * it; so an edit then counts only if its row was read, and is repeated until it has one.
 *
 * <p>A base is made of the record's table, or of the active base and its changes (a merge), by one
 * thread at a time. Each replaces the one before in one file, which the next start opens. Merges
 * keep every entry and ignore all dates; only changes remove.
 *
 * <p>Readings of the log, changes and new bases of the table exclude each other, in the order in
 * which they came. A merge leaves the position as it is, and waits for none of them: they apply
 * what they have read to the state of that moment. Questions wait for nothing.
 */
final class Follower {
    /** The most memory that changes may take, in bytes. */
    static final long MAX_BYTES = 64L << 20;

    /** Lists of fewer entries are merged in a second at most, and so more often. */
    static final long SMALL = 1_000_000;

    /** How often an edit is written before it is given up. */
    private static final int MAX_WRITES = 4;

    /** How long one waits for the others. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How long after its last row a bulk without an end is considered dead. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    /** How long a bulk that goes on may be owed. */
    private static final Duration MAX_OWED = Duration.ofMinutes(10);

    /** The number of changes that are merged soon, or a twentieth of the base if that is more. */
    private static final int MANY = 10_000;

    private static final int SHARE = 20;

    /** How old the base of a small list may be when there are changes, and that of another. */
    private static final Duration SMALL_AGE = Duration.ofHours(1);

    private static final Duration AGE = Duration.ofDays(1);

    /** When a base is written even without changes, since the log is kept for 90 days. */
    private static final Duration MAX_AGE = Duration.ofDays(22);

    /** How often the table is read though nothing is owed. */
    private static final Duration TABLE_AGE = Duration.ofDays(7);

    /** The bytes that a new base must leave free on the disk, beside what is known of it. */
    private static final long RESERVE = 1L << 20;

    /** After how many entries of the table the free disk is looked at again. */
    private static final int CHECKED = 10_000;

    /** About the bytes that an entry takes in a base and beside it, while that is made. */
    private static final int ENTRY_BYTES = 40;

    private static final int FEED_LINES = 7;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Setup setup;
    private final ReentrantLock lock = new ReentrantLock(true);
    private volatile @Nullable State state;
    private boolean closed;

    /** When the reading of the log began that ended last, by the clock that never jumps. */
    private volatile long readAt;

    /** Whether the log was read since the list was opened. */
    private volatile boolean hasRead;

    /** When a bulk was owed first, and when the table must be read for it. */
    private long owedSince;

    private volatile long dueAt;

    /** Makes a follower that knows nothing. */
    Follower(Setup setup) {
        this.setup = setup;
    }

    /**
     * What a follower works with.
     *
     * @param file where the base is kept; its folder is made if it is missing
     * @param nanos a clock that never jumps
     * @param clock the clock by which bases say when they were made; it may jump
     */
    record Setup(
            LivingSettings settings,
            ListRecord record,
            Disk disk,
            Path file,
            ListCounters counters,
            LivingListener listener,
            long maxBytes,
            LongSupplier nanos,
            InstantSource clock) {}

    /**
     * What base and changes lack that the log does not bring, and only a reading of the table does:
     * nothing; the entries of a bulk; or, after a break of the log, perhaps anything, so that the
     * list is behind.
     */
    enum Owing {
        NOTHING,
        BULK,
        BREAK
    }

    /**
     * What is active.
     *
     * @param base the base with the changes since
     * @param position up to which base and changes have all changes, but for what is owed
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

    /**
     * Begins with the base that was kept, if there is one of this list.
     *
     * @return whether there is one
     * @throws IOException if it cannot be read
     */
    boolean resume() throws IOException {
        if (setup.disk.state(setup.file).type() == FileState.Type.MISSING) {
            return false;
        }
        Snapshot snapshot = open();
        State kept = state(snapshot);
        if (kept == null) {
            snapshot.close();
            return false;
        }
        oweBulk(true, false);
        replace(kept);
        return true;
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
            long began = setup.nanos.getAsLong();
            apply(setup.record.log(now.position), began);
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
                long began = setup.nanos.getAsLong();
                Written written = setup.record.write(edits, who, always, now.position);
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
                setup.listener.broken();
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
        long time = setup.nanos.getAsLong();
        owedSince = isFirst ? time : owedSince;
        long rest = MAX_OWED.toNanos() - (time - owedSince);
        dueAt = hasEnded ? time : time + Math.min(QUIET.toNanos(), rest);
    }

    /** Returns whether the table must be read now. */
    boolean mustReadTable() {
        State now = state;
        return now == null
                || now.owing == Owing.BREAK
                || (now.owing == Owing.BULK && setup.nanos.getAsLong() - dueAt >= 0)
                || isOlder(now.tableReadAt, TABLE_AGE);
    }

    /** Returns whether something was done longer ago than an age, or later than now. */
    private boolean isOlder(long millis, Duration age) {
        return Duration.ofMillis(Math.abs(setup.clock.millis() - millis)).compareTo(age) >= 0;
    }

    /**
     * Reads the table into a base and makes that active. It begins without changes, and reads the
     * log from its own position to the end, so past the position that it replaces.
     *
     * @return false if the log does not continue from there, so that the table must be read again
     * @throws IOException if the table cannot be read, or the base not be written; what is active
     *     stays
     */
    boolean readTable() throws IOException {
        requireRoom(0);
        long time = setup.clock.millis();
        int[] count = {0};
        State next;
        try (SnapshotWriter writer = writer()) {
            Position position =
                    setup.record.forEach(
                            entry -> {
                                if (Thread.currentThread().isInterrupted()) {
                                    // The list is closed: else its stop would take as long.
                                    throw new InterruptedIOException("interrupted");
                                }
                                if (++count[0] % CHECKED == 0) {
                                    requireRoom(0);
                                }
                                writer.add(entry);
                            },
                            setup.listener::unreadable);
            next = finish(writer, time, feed(position, Owing.NOTHING, time));
        }
        boolean isActive = false;
        try {
            acquire();
            try {
                long began = setup.nanos.getAsLong();
                LogRows rows = setup.record.log(next.position);
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

    /**
     * Returns whether the changes are so many, or the base is so old, that they must be merged now.
     * So what was erased is gone from base and memory within a day.
     */
    boolean mustMerge() {
        State now = state;
        if (now == null) {
            return false;
        }
        int changes = now.changes.count();
        long entries = now.base.header().entries();
        Duration age = changes == 0 ? MAX_AGE : entries < SMALL ? SMALL_AGE : AGE;
        return isOlder(now.base.header().buildTime(), age)
                || changes >= Math.max(MANY, entries / SHARE)
                || now.changes.bytes() > MAX_BYTES / 2;
    }

    /**
     * Merges the changes into the base and makes the result active, with the changes since then.
     *
     * @return false if it was dropped, since the base was replaced meanwhile
     * @throws IOException if the base cannot be read or written; what is active stays
     */
    boolean merge() throws IOException {
        State from;
        Map<Pair, List<Rule>> frozen;
        synchronized (this) {
            from = state;
            if (from == null) {
                return false;
            }
            frozen = from.changes.frozen();
        }
        requireRoom(2 * from.base.header().fileLength() + (long) frozen.size() * ENTRY_BYTES);
        try (SnapshotWriter writer = writer()) {
            try (Generation.Entries base = from.base.entries(null)) {
                for (Entry entry = base.next(); entry != null; entry = base.next()) {
                    if (!frozen.containsKey(entry.pair())) {
                        writer.add(entry);
                    }
                }
            }
            for (Map.Entry<Pair, List<Rule>> each : frozen.entrySet()) {
                Pair pair = each.getKey();
                writer.add(new Entry(pair.sender(), pair.to(), each.getValue()));
            }
            byte[] feed = feed(from.position, from.owing, from.tableReadAt);
            return merged(finish(writer, setup.clock.millis(), feed), from, frozen);
        } catch (RetiredException e) {
            throw new IOException("the list was closed", e);
        }
    }

    /** Makes a merged base active, unless the one that it was made of is not any more. */
    @SuppressWarnings("ReferenceEquality")
    synchronized boolean merged(State next, State from, Map<Pair, List<Rule>> frozen) {
        State now = state;
        if (now == null || now.base != from.base) {
            next.base.retire();
            return false;
        }
        next.changes.putNewer(now.changes, frozen);
        return replace(next.at(now.position, now.owing));
    }

    private void requireRoom(long bytes) throws IOException {
        Path folder = Objects.requireNonNull(setup.file.toAbsolutePath().getParent());
        Disk.createFolders(setup.disk, folder); // of one that is missing, nobody knows it
        long needed = bytes + RESERVE;
        long free = setup.disk.freeBytes(folder);
        if (free < needed) {
            throw new IOException(
                    "%s: a new base needs %s bytes, and %s are free"
                            .formatted(setup.file, needed, free));
        }
    }

    private SnapshotWriter writer() throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, setup.settings.filter());
        return SnapshotWriter.ofBase(setup.disk, setup.file, options, RANDOM.nextLong());
    }

    private Snapshot open() throws IOException {
        return Snapshot.open(setup.disk.open(setup.file), setup.file, setup.settings.exactMemory());
    }

    /** Puts a base in its place and opens it. */
    private State finish(SnapshotWriter writer, long time, byte[] feed) throws IOException {
        writer.finish(time, feed);
        Snapshot snapshot = open();
        State made = Arrays.equals(snapshot.feed(), feed) ? state(snapshot) : null;
        if (made == null) {
            snapshot.close();
            throw new IOException(
                    setup.file
                            + ": another server keeps the same list there. Needed: a workDirectory"
                            + " of its own for each server");
        }
        return made;
    }

    /**
     * Returns what a base says of itself, as lines of UTF-8 within its snapshot: the name of the
     * list; the epoch, number and token of its position; what it owes; when its table was read
     * last; and a random number by which a server knows its own base.
     */
    private byte[] feed(Position position, Owing owing, long tableReadAt) {
        return "%s\n%s\n%s\n%s\n%s\n%s\n%s"
                .formatted(
                        setup.settings.name(),
                        position.epoch(),
                        position.seq(),
                        position.token(),
                        owing,
                        tableReadAt,
                        RANDOM.nextLong())
                .getBytes(UTF_8);
    }

    /** Returns the state with a base and no changes; null if that is no base of this list. */
    private @Nullable State state(Snapshot snapshot) throws IOException {
        String[] said = new String(snapshot.feed(), UTF_8).split("\n", -1);
        LivingSettings settings = setup.settings;
        if (said.length != FEED_LINES || !said[0].equals(settings.name())) {
            return null;
        }
        Changes changes = new Changes(snapshot);
        return new State(
                new Generation(
                        snapshot, snapshot.store(), changes, settings.cacheSize(), setup.counters),
                changes,
                new Position(said[1], Long.parseLong(said[2]), Long.parseLong(said[3])),
                Owing.valueOf(said[4]),
                Long.parseLong(said[5]));
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

    /** Returns whether there is no more room for changes. */
    boolean isFull() {
        State now = state;
        return now != null && now.changes.bytes() >= setup.maxBytes;
    }

    /** Returns whether changes of other servers may be missing for too long. */
    boolean isBehind() {
        State now = state;
        return now == null
                || !hasRead
                || now.owing == Owing.BREAK
                || setup.nanos.getAsLong() - readAt > setup.settings.maxStaleness().toNanos();
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
