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
import io.github.senderwhitelist.living.Follower.Frozen;
import io.github.senderwhitelist.living.Follower.Owing;
import io.github.senderwhitelist.living.Follower.State;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
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

/**
 * The maker of the bases of a living list: of the record's table, or of the active base and its
 * changes (a merge). Each replaces the one before in one file, which the next start opens. Merges
 * keep every entry and ignore all dates; only changes remove. For one thread.
 *
 * @param file where the base is kept; its folder is made if it is missing
 * @param clock the clock by which bases say when they were made; it may jump
 */
record BaseMaker(
        LivingSettings settings,
        Disk disk,
        Path file,
        ListRecord record,
        Follower follower,
        ListCounters counters,
        LivingListener listener,
        InstantSource clock) {
    /** Lists of fewer entries are merged in a second at most, and so more often. */
    static final long SMALL = 1_000_000;

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

    /**
     * Makes the base that was kept active, if there is one of this list.
     *
     * @return whether there is one
     * @throws IOException if it cannot be read
     */
    boolean resume() throws IOException {
        if (disk.state(file).type() == FileState.Type.MISSING) {
            return false;
        }
        Snapshot snapshot = Snapshot.open(disk.open(file), file, settings.exactMemory());
        State kept = state(snapshot);
        if (kept == null) {
            snapshot.close();
            return false;
        }
        follower.resume(kept);
        return true;
    }

    /** Returns whether something was done longer ago than an age, or later than now. */
    private boolean isOlder(long millis, Duration age) {
        return Duration.ofMillis(Math.abs(clock.millis() - millis)).compareTo(age) >= 0;
    }

    /** Returns whether the table must be read now. */
    boolean mustReadTable() {
        State now = follower.state();
        return follower.mustReadTable() || (now != null && isOlder(now.tableReadAt(), TABLE_AGE));
    }

    /**
     * Returns whether the changes are so many, or the base is so old, that they must be merged now.
     * So what was erased is gone from base and memory within a day.
     */
    boolean mustMerge() {
        State now = follower.state();
        if (now == null) {
            return false;
        }
        int changes = now.changes().count();
        long entries = now.base().header().entries();
        Duration age = changes == 0 ? MAX_AGE : entries < SMALL ? SMALL_AGE : AGE;
        return isOlder(now.base().header().buildTime(), age)
                || changes >= Math.max(MANY, entries / SHARE)
                || now.changes().bytes() > Follower.MAX_BYTES / 2;
    }

    /**
     * Reads the table into a base and makes that active.
     *
     * @return false if the log does not continue from it, so that the table must be read again
     * @throws IOException if the table cannot be read, or the base not be written; what is active
     *     stays
     */
    boolean readTable() throws IOException {
        requireRoom(0);
        long time = clock.millis();
        int[] count = {0};
        try (SnapshotWriter writer = writer()) {
            Position position =
                    record.forEach(
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
                            listener::unreadable);
            return follower.tableRead(finish(writer, time, feed(position, Owing.NOTHING, time)));
        }
    }

    /**
     * Merges the changes into the base and makes the result active.
     *
     * @return false if it was dropped, since the base was replaced meanwhile
     * @throws IOException if the base cannot be read or written; what is active stays
     */
    boolean merge() throws IOException {
        Frozen frozen = follower.freeze();
        if (frozen == null) {
            return false;
        }
        State from = frozen.state();
        SnapshotHeader header = from.base().header();
        requireRoom(2 * header.fileLength() + (long) frozen.changes().size() * ENTRY_BYTES);
        try (SnapshotWriter writer = writer()) {
            try (Generation.Entries base = from.base().entries(null)) {
                for (Entry entry = base.next(); entry != null; entry = base.next()) {
                    if (!frozen.changes().containsKey(entry.pair())) {
                        writer.add(entry);
                    }
                }
            }
            for (Map.Entry<Pair, List<Rule>> each : frozen.changes().entrySet()) {
                Pair pair = each.getKey();
                writer.add(new Entry(pair.sender(), pair.to(), each.getValue()));
            }
            byte[] feed = feed(from.position(), from.owing(), from.tableReadAt());
            return follower.merged(finish(writer, clock.millis(), feed), frozen);
        } catch (RetiredException e) {
            throw new IOException("the list was closed", e);
        }
    }

    private void requireRoom(long bytes) throws IOException {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Disk.createFolders(disk, folder);
        long needed = bytes + RESERVE;
        long free = disk.freeBytes(folder);
        if (free < needed) {
            throw new IOException(
                    file + ": a new base needs " + needed + " bytes, and " + free + " are free");
        }
    }

    private SnapshotWriter writer() throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, settings.filter());
        return SnapshotWriter.ofBase(disk, file, options, RANDOM.nextLong());
    }

    /** Puts a base in its place and opens it. */
    private State finish(SnapshotWriter writer, long time, byte[] feed) throws IOException {
        writer.finish(time, feed);
        Snapshot snapshot = Snapshot.open(disk.open(file), file, settings.exactMemory());
        State made = Arrays.equals(snapshot.feed(), feed) ? state(snapshot) : null;
        if (made == null) {
            snapshot.close();
            throw new IOException(
                    file
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
        return String.join(
                        "\n",
                        settings.name(),
                        position.epoch(),
                        Long.toString(position.seq()),
                        Long.toString(position.token()),
                        owing.name(),
                        Long.toString(tableReadAt),
                        Long.toString(RANDOM.nextLong()))
                .getBytes(UTF_8);
    }

    /** Returns the state with a base and no changes; null if that is no base of this list. */
    private @Nullable State state(Snapshot snapshot) throws IOException {
        String[] said = new String(snapshot.feed(), UTF_8).split("\n", -1);
        if (said.length != FEED_LINES || !said[0].equals(settings.name())) {
            return null;
        }
        Changes changes = new Changes(snapshot);
        return new State(
                new Generation(snapshot, snapshot.store(), changes, settings.cacheSize(), counters),
                changes,
                new Position(said[1], Long.parseLong(said[2]), Long.parseLong(said[3])),
                Owing.valueOf(said[4]),
                Long.parseLong(said[5]));
    }
}
