package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.UnfinishedFile;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;
import io.github.senderwhitelist.sort.AheadEntries;
import io.github.senderwhitelist.sort.DistinctEntries;
import io.github.senderwhitelist.sort.EntrySorter;
import io.github.senderwhitelist.sort.TooManyRulesException;
import io.github.senderwhitelist.store.Serial;

import org.jspecify.annotations.Nullable;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Makes snapshots of text lists, in bounded memory whatever their size. A snapshot is written to a
 * temporary file beside its place, forced to the disk, and renamed: a crash leaves the old one or
 * the new one.
 *
 * <p>The same lists, options and seed give the same bytes, whatever the memory and the number of
 * threads.
 */
public final class SnapshotBuilder {
    /** With as much, a build has the process for itself; a server builds with less. */
    private static final long LARGE_MEMORY = 64L << 20;

    /** More domains than this are not worth the memory of those who ask. */
    private static final long MOST_DOMAINS = 1 << 20;

    private static final long LEAST_DOMAINS = 1024;
    private static final long ENTRIES_PER_DOMAIN = 64;
    private static final int COMPLAINTS_KEPT = 10;
    private static final int FILLER_SHARE = 4;

    private final BuildOptions options;
    private final BuildResources resources;
    private final long seed;
    private final long buildTime;
    private final BuildProgress progress;

    private final List<String> complaints = new ArrayList<>();
    private long lines;
    private long entries;
    private long badLines;
    private @Nullable UnfinishedFile unfinished;
    private boolean abandoned;

    /**
     * A builder, for one snapshot.
     *
     * @param seed of the hashes: secret and random, or given to get the same bytes again
     * @param buildTime milliseconds since 1970, written into the header; 0: not recorded
     */
    public SnapshotBuilder(
            BuildOptions options,
            BuildResources resources,
            long seed,
            long buildTime,
            BuildProgress progress) {
        this.options = options;
        this.resources = resources;
        this.seed = seed;
        this.buildTime = buildTime;
        this.progress = progress;
    }

    /** Whether a snapshot may take the place of the one before. */
    @FunctionalInterface
    public interface Admission {
        /** Admits every snapshot. */
        Admission ALL = header -> {};

        /** Throws with the reason when it may not. */
        void check(SnapshotHeader header) throws IOException;
    }

    /**
     * Reads text lists and puts their snapshot in place of {@code target}.
     *
     * @param admission the last word before the snapshot takes its place
     * @throws ListRefusedException when a list cannot be used
     */
    public BuildReport build(List<ListSource> lists, Path target, Admission admission)
            throws IOException {
        try (UnfinishedFile file = begin(target)) {
            BuildReport report = build(lists, file.file(), target);
            admission.check(report.header());
            file.publish();
            return report;
        }
    }

    /**
     * Reads text lists and writes their snapshot into an empty file, which stays open.
     *
     * @param name what messages call the file
     * @throws ListRefusedException when a list cannot be used
     */
    public BuildReport build(List<ListSource> lists, DiskFile file, Path name) throws IOException {
        try (EntrySorter sorter =
                new EntrySorter(
                        resources.memory() - fillerMemory(),
                        resources.threads(),
                        resources.scratch())) {
            byte[] digest = read(lists, sorter);
            if (entries == 0) {
                throw new ListRefusedException(
                        names(lists)
                                + ": holds no entries ("
                                + lines
                                + " lines); a list without entries is refused. Put at least one"
                                + " entry into it");
            }
            return write(sorter, digest, file, name);
        } catch (TooManyRulesException e) {
            throw new ListRefusedException(names(lists) + ": " + e.getMessage());
        }
    }

    private synchronized UnfinishedFile begin(Path target) throws IOException {
        if (abandoned) {
            throw new CancellationException("the program is ending");
        }
        UnfinishedFile file = UnfinishedFile.of(resources.scratch().disk(), target);
        unfinished = file;
        return file;
    }

    /**
     * Deletes what an unfinished build has on the disk, for a program that is told to stop; the
     * build cannot go on, and none can begin. Temporary files of the sorting have no names and go
     * with the program.
     */
    public synchronized void abandon() {
        abandoned = true;
        if (unfinished != null) {
            unfinished.abandon();
        }
    }

    private static String names(List<ListSource> lists) {
        return String.join(", ", lists.stream().map(ListSource::name).toList());
    }

    /**
     * Reads all lists and returns their digest: of one list its own, of several that of their
     * digests.
     */
    private byte[] read(List<ListSource> lists, EntrySorter sorter) throws IOException {
        List<TextList.Sink> sinks = new ArrayList<>();
        for (EntrySorter.Worker worker : sorter.workers()) {
            sinks.add(worker::add);
        }
        boolean sized = lists.stream().allMatch(list -> list.size() >= 0);
        Meter meter =
                new Meter(progress, sized ? lists.stream().mapToLong(ListSource::size).sum() : -1);
        MessageDigest all = Sha256.start();
        byte[] digest = {};
        for (ListSource list : lists) {
            MessageDigest one = Sha256.start();
            try (InputStream in = list.opener().open()) {
                InputStream digesting = new DigestInputStream(meter.measuring(in), one);
                add(list, TextList.read(digesting, list.name(), sinks), lists.size() > 1);
                digesting.transferTo(OutputStream.nullOutputStream());
            }
            digest = one.digest();
            all.update(digest);
        }
        meter.finish();
        return lists.size() == 1 ? digest : all.digest();
    }

    private void add(ListSource list, TextList.Summary summary, boolean several) {
        lines += summary.lines();
        entries += summary.entries();
        badLines += summary.badLines();
        for (String complaint : summary.complaints()) {
            if (complaints.size() < COMPLAINTS_KEPT) {
                complaints.add(several ? list.name() + ": " + complaint : complaint);
            }
        }
    }

    private BuildReport write(EntrySorter sorter, byte[] digest, DiskFile out, Path name)
            throws IOException {
        long mostDomains = Math.clamp(entries / ENTRIES_PER_DOMAIN, LEAST_DOMAINS, MOST_DOMAINS);
        List<byte[]> domains = sorter.commonDomains(mostDomains);
        DistinctEntries distinct = new DistinctEntries(sorter.sorted());
        long temporaryBytes = sorter.temporaryBytes();
        if (resources.memory() >= LARGE_MEMORY) {
            // What sorting took is garbage now; without being told, the runtime would rather take
            // new memory for the filter than look for it.
            System.gc();
        }
        SnapshotHeader header;
        long contradictions;
        long written;
        try (SnapshotWriter writer =
                new SnapshotWriter(
                        out,
                        name,
                        options,
                        fillerMemory(),
                        resources.scratch(),
                        seed,
                        salt(digest),
                        progress)) {
            if (resources.threads() == 1) {
                header = writer.write(distinct, sorter.entries(), domains, buildTime, digest);
            } else {
                try (AheadEntries ahead = new AheadEntries(distinct)) {
                    header = writer.write(ahead, sorter.entries(), domains, buildTime, digest);
                }
            }
            contradictions = writer.contradictions();
            written = writer.rules();
        }
        return new BuildReport(
                lines,
                badLines,
                List.copyOf(complaints),
                entries - written,
                contradictions,
                temporaryBytes,
                header);
    }

    /** The share of the memory that the hashes of a static filter may take. */
    private long fillerMemory() {
        return options.kind().isStatic() ? resources.memory() / FILLER_SHARE : 0;
    }

    /** Same sources and seed, same salt; another snapshot, another salt. */
    private long salt(byte[] digest) {
        ByteBuffer bytes = ByteBuffer.allocate(digest.length + Long.BYTES).order(Serial.ORDER);
        bytes.put(digest).putLong(seed);
        return ByteBuffer.wrap(Sha256.start().digest(bytes.array())).getLong();
    }

    /** Counts the bytes of all lists as they are read. */
    private static final class Meter {
        private static final long REPORT_EVERY = 1 << 22;

        private final BuildProgress progress;
        private final long total;
        private long done;
        private long reported;

        Meter(BuildProgress progress, long total) {
            this.progress = progress;
            this.total = total;
        }

        InputStream measuring(InputStream in) {
            return new FilterInputStream(in) {
                @Override
                public int read() throws IOException {
                    int b = super.read();
                    count(b < 0 ? 0 : 1);
                    return b;
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    int count = super.read(bytes, from, length);
                    count(Math.max(0, count));
                    return count;
                }

                @Override
                public boolean markSupported() {
                    return false;
                }
            };
        }

        private void count(int bytes) {
            done += bytes;
            if (done - reported >= REPORT_EVERY) {
                reported = done;
                progress.report(Phase.READING, done, total);
            }
        }

        void finish() {
            progress.report(Phase.READING, done, total);
        }
    }
}
