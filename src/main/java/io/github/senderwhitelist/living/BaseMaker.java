package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.living.BaseAndChanges.Since;
import io.github.senderwhitelist.living.Comparison.Differences;
import io.github.senderwhitelist.living.Follower.Seen;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.SnapshotWriter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The maker of the bases of a living list: from its table, or from the base in force and the
 * changes since (a fold). Each replaces the one before in one file, which the next start opens.
 */
final class BaseMaker {
    /** The bytes that a new base must leave free on the disk. */
    private static final long RESERVE = 1L << 20;

    private final LivingSettings settings;
    private final Disk disk;
    private final Path file;
    private final EntryTable table;
    private final Follower follower;
    private final ListCounters counters;
    private final LivingListener listener;

    /** When the table was read last, in milliseconds since 1970; 0 if it never was. */
    private volatile long read;

    /**
     * Makes a maker.
     *
     * @param file where the base is kept; its folder is made if it is missing
     */
    BaseMaker(
            LivingSettings settings,
            Disk disk,
            Path file,
            EntryTable table,
            Follower follower,
            ListCounters counters,
            LivingListener listener) {
        this.settings = settings;
        this.disk = disk;
        this.file = file;
        this.table = table;
        this.follower = follower;
        this.counters = counters;
        this.listener = listener;
    }

    /**
     * Puts the base that was kept in force, if there is one.
     *
     * @return whether there is one
     * @throws IOException if it cannot be read
     */
    boolean resume() throws IOException {
        if (disk.state(file).type() == FileState.Type.MISSING) {
            return false;
        }
        Snapshot snapshot = Snapshot.open(disk, file, settings.exactMemory());
        boolean isOurs = false;
        try {
            BaseFeed feed = BaseFeed.parse(snapshot.feed());
            isOurs = feed.list().equals(settings.name());
            if (!isOurs) {
                return false;
            }
            SnapshotHeader header = snapshot.header();
            Since since = follower.since(feed.position(), header.buildTime(), header.seed());
            feed.large().forEach(since::layLarge);
            read = feed.read();
            follower.resume(generation(snapshot, since), since, feed.ahead());
            return true;
        } finally {
            if (!isOurs) {
                snapshot.close();
            }
        }
    }

    private Generation generation(Snapshot snapshot, Since since) {
        return Generation.withChanges(
                snapshot, since.changes(), settings.cacheSize(), settings.cacheExpiry(), counters);
    }

    /**
     * Makes a base of the table and puts it in force.
     *
     * @return false if the feed was lost meanwhile, so that another one must be made
     * @throws IOException if the table cannot be read, or the base not be written
     */
    boolean stream(Since since) throws IOException {
        return stream(since, this::table);
    }

    private boolean stream(Since since, Source source) throws IOException {
        return make(since, since.asOf(), source);
    }

    private FeedPosition table(Sink sink) throws IOException {
        try {
            return table.forEach(
                    entry -> {
                        try {
                            sink.add(entry);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    },
                    why -> listener.unreadable(String.valueOf(why.getMessage())));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Makes a base of the table, compares it with the entries in force, and puts it in force.
     *
     * @return the differences; null if the feed was lost meanwhile
     * @throws IOException as {@link #stream}; the base in force stays
     */
    @Nullable Differences compare(BaseAndChanges with, Since since) throws IOException {
        List<Differences> found = new ArrayList<>();
        boolean isInForce =
                stream(
                        since,
                        sink -> {
                            List<FeedPosition> ahead = new ArrayList<>();
                            try {
                                with.read(
                                        entries -> {
                                            Comparison comparison = new Comparison(entries);
                                            ahead.add(
                                                    table(
                                                            entry -> {
                                                                comparison.take(entry);
                                                                sink.add(entry);
                                                            }));
                                            comparison.end();
                                            found.add(follower.settle(comparison, with, since));
                                        });
                            } catch (RetiredException e) {
                                throw new IOException("the list was closed", e);
                            }
                            return ahead.getFirst();
                        });
        return isInForce ? found.getFirst() : null;
    }

    /** Returns when the table was read last; null if it never was. */
    @Nullable Instant read() {
        return read == 0 ? null : Instant.ofEpochMilli(read);
    }

    /**
     * Makes a base of the base in force and its changes, and puts it in force.
     *
     * @param seen returns a position that has seen all changes
     * @return false if the feed was lost meanwhile
     * @throws IOException if the base cannot be read or written; the one in force stays
     */
    boolean fold(BaseAndChanges from, Since since, Seen seen) throws IOException {
        SnapshotHeader header = from.generation().header();
        int changes = from.since().changes().count();
        long needed = header.fileLength() + changes * 100L + RESERVE;
        long free = disk.freeBytes(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        if (free < needed) {
            throw new IOException(
                    file + ": a new base needs " + needed + " bytes, and " + free + " are free");
        }
        return make(
                since,
                read,
                sink -> {
                    try {
                        from.read(
                                entries -> {
                                    for (Entry entry = entries.next();
                                            entry != null;
                                            entry = entries.next()) {
                                        sink.add(entry);
                                    }
                                });
                    } catch (RetiredException e) {
                        throw new IOException("the list was closed", e);
                    }
                    // Some of what was read may be newer than the last poll.
                    return seen.position();
                });
    }

    /** Takes entries in their order. */
    @FunctionalInterface
    private interface Sink {
        void add(Entry entry) throws IOException;
    }

    /** Passes all entries to a sink in their order, and returns a position that has seen them. */
    @FunctionalInterface
    private interface Source {
        FeedPosition forEach(Sink sink) throws IOException;
    }

    private boolean make(Since since, long readAt, Source source) throws IOException {
        List<Entry> large = new ArrayList<>();
        FeedPosition ahead;
        try (SnapshotWriter writer =
                SnapshotWriter.ofBase(
                        disk,
                        file,
                        new BuildOptions(FilterKind.BLOCKED, settings.filter()),
                        since.seed(),
                        listener::progress)) {
            ahead =
                    source.forEach(
                            entry -> {
                                if (RulesCodec.fit(entry.rules())) {
                                    writer.add(entry);
                                } else {
                                    large.add(entry);
                                    follower.layLarge(entry, since);
                                }
                            });
            if (!follower.isNext(since)) {
                return false;
            }
            writer.finish(
                    since.asOf(),
                    new BaseFeed(settings.name(), since.position(), ahead, readAt, large).bytes());
        }
        Snapshot snapshot = Snapshot.open(disk, file, settings.exactMemory());
        boolean isInForce = false;
        try {
            if (snapshot.header().seed() != since.seed()) {
                throw new IOException(
                        file
                                + ": another server keeps the same list there. Needed: a"
                                + " workDirectory of its own for each server");
            }
            isInForce = follower.putInForce(generation(snapshot, since), since, ahead);
            read = isInForce ? readAt : read;
            return isInForce;
        } finally {
            if (!isInForce) {
                snapshot.close();
            }
        }
    }
}
