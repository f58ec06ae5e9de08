package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.living.Changes.Changed;
import io.github.senderwhitelist.living.Follower.Frozen;
import io.github.senderwhitelist.living.Follower.Owing;
import io.github.senderwhitelist.living.Follower.State;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Visitor;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.SnapshotWriter;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The maker of the bases of a living list: of the record's table, or of the active base and its
 * changes (a merge). Each replaces the one before in one file, which the next start opens. Merges
 * keep every entry and ignore all dates; only changes remove. For one thread.
 */
final class BaseMaker {
    /** The bytes that a new base must leave free on the disk, beside what is known of it. */
    private static final long RESERVE = 1L << 20;

    /** After how many entries of the table the free disk is looked at again. */
    private static final int CHECKED = 10_000;

    /** About the bytes that an entry takes in a base and beside it, while that is made. */
    private static final int ENTRY_BYTES = 40;

    private final LivingSettings settings;
    private final Disk disk;
    private final Path file;
    private final ListRecord record;
    private final Follower follower;
    private final ListCounters counters;
    private final LivingListener listener;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * Makes a maker.
     *
     * @param file where the base is kept; its folder is made if it is missing
     * @param clock the clock by which bases say when they were made
     */
    BaseMaker(
            LivingSettings settings,
            Disk disk,
            Path file,
            ListRecord record,
            Follower follower,
            ListCounters counters,
            LivingListener listener,
            InstantSource clock) {
        this.settings = settings;
        this.disk = disk;
        this.file = file;
        this.record = record;
        this.follower = follower;
        this.counters = counters;
        this.listener = listener;
        this.clock = clock;
    }

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
        Snapshot snapshot = Snapshot.open(disk, file, settings.exactMemory());
        boolean isUsed = false;
        try {
            BasePosition kept = BasePosition.parse(snapshot.feed());
            isUsed = kept.list().equals(settings.name());
            if (isUsed) {
                follower.resume(state(snapshot, kept));
            }
            return isUsed;
        } finally {
            if (!isUsed) {
                snapshot.close();
            }
        }
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
        try (SnapshotWriter writer = writer()) {
            Position position =
                    record.forEach(
                            new Visitor<>() {
                                private int count;

                                @Override
                                public void visit(Entry entry) throws IOException {
                                    requireNotInterrupted();
                                    if (++count % CHECKED == 0) {
                                        requireRoom(0);
                                    }
                                    writer.add(fitting(entry));
                                }
                            },
                            listener::unreadable);
            return follower.tableRead(
                    finish(writer, time, position(position, Owing.NOTHING, time)));
        }
    }

    /**
     * Returns an entry that a base can hold. Of one with too many rules, which a bulk can make of
     * several origins, the denials stay.
     */
    private Entry fitting(Entry entry) {
        if (RulesCodec.fit(entry.rules())) {
            return entry;
        }
        listener.unreadable(
                "too many lines with conditions for one sender and its recipients, of which only"
                        + " those with '!' count: "
                        + entry);
        return new Entry(
                entry.key(), entry.to(), entry.denied() ? List.of(Rule.DENIES) : List.of());
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
            try (Generation.Entries entries = from.base().entries()) {
                merge(entries, frozen.changes(), writer);
            }
            BasePosition position = position(from.position(), from.owing(), from.tableReadAt());
            State next = finish(writer, clock.millis(), position);
            return follower.merged(next.base(), next.changes(), frozen);
        } catch (RetiredException e) {
            throw new IOException("the list was closed", e);
        }
    }

    /** Writes the entries of a base with changes applied. */
    private static void merge(
            Generation.Entries base,
            List<Map.Entry<byte[], Changed>> changes,
            SnapshotWriter writer)
            throws IOException {
        Iterator<Map.Entry<byte[], Changed>> rest = changes.iterator();
        Map.Entry<byte[], Changed> change = rest.hasNext() ? rest.next() : null;
        Entry entry = base.next();
        while (entry != null || change != null) {
            byte[] key = entry == null ? null : SortKey.of(entry.key(), entry.to());
            int order =
                    key == null
                            ? 1
                            : change == null ? -1 : Arrays.compareUnsigned(key, change.getKey());
            Entry merged = entry;
            if (change != null && order >= 0) {
                Entry where = order == 0 && entry != null ? entry : SortKey.entry(change.getKey());
                merged = change.getValue().over(order == 0 ? entry : null, where.key(), where.to());
                change = rest.hasNext() ? rest.next() : null;
            }
            if (merged != null && !merged.rules().isEmpty()) {
                writer.add(merged);
            }
            entry = order <= 0 ? base.next() : entry;
        }
    }

    /** Ends what takes long when the list is closed: else a stop would leave the database open. */
    private static void requireNotInterrupted() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted");
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
        return SnapshotWriter.ofBase(
                disk,
                file,
                new BuildOptions(FilterKind.BLOCKED, settings.filter()),
                random.nextLong(),
                listener::progress);
    }

    private BasePosition position(Position position, Owing owing, long readAt) {
        return new BasePosition(settings.name(), position, owing, readAt, random.nextLong());
    }

    /** Puts a base in its place and opens it. */
    private State finish(SnapshotWriter writer, long time, BasePosition position)
            throws IOException {
        writer.finish(time, position.bytes());
        Snapshot snapshot = Snapshot.open(disk, file, settings.exactMemory());
        if (!Arrays.equals(snapshot.feed(), position.bytes())) {
            snapshot.close();
            throw new IOException(
                    file
                            + ": another server keeps the same list there. Needed: a workDirectory"
                            + " of its own for each server");
        }
        return state(snapshot, position);
    }

    private State state(Snapshot snapshot, BasePosition of) {
        Changes changes = new Changes(snapshot);
        Generation base =
                new Generation(snapshot, snapshot.store(), changes, settings.cacheSize(), counters);
        return new State(base, changes, of.position(), of.owing(), of.readAt());
    }
}
