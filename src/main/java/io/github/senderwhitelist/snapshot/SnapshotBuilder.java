package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;

/**
 * A builder of snapshots of text lists, in bounded memory whatever their size. A snapshot is
 * written to a temporary file beside its place, forced to the disk, and renamed. So a crash leaves
 * the old one or the new one.
 *
 * <p>The same lists, options and seed give the same bytes, whatever the memory.
 */
public final class SnapshotBuilder {
    private static final int COMPLAINTS_KEPT = 10;
    private static final long REPORT_EVERY = 1 << 22;

    private final BuildOptions options;
    private final BuildResources resources;
    private final long seed;
    private final long buildTime;
    private final BuildProgress progress;

    private final List<String> complaints = new ArrayList<>();
    private long lines;
    private long entries;
    private long badLines;
    private long bytesRead;
    private @Nullable AtomicFile unfinished;
    private boolean abandoned;

    /**
     * Creates a builder, for one snapshot.
     *
     * @param seed the seed of the hashes: secret and random, or fixed to get the same bytes again
     * @param buildTime milliseconds since 1970 for the header; 0 for none
     */
    public SnapshotBuilder(
            BuildOptions options,
            BuildResources resources,
            long seed,
            long buildTime,
            BuildProgress progress) {
        this.options = options;
        this.resources = new BuildResources(resources.memory(), resources.scratch().another());
        this.seed = seed;
        this.buildTime = buildTime;
        this.progress = progress;
    }

    /**
     * Reads text lists and replaces {@code target} by their snapshot.
     *
     * @param admission checks the finished snapshot before it replaces the target
     * @throws ListRefusedException if a list cannot be used
     */
    public BuildReport build(List<TextSource> lists, Path target, Admission admission)
            throws IOException {
        try (AtomicFile file = begin(target)) {
            BuildReport report = build(lists, file.file(), target);
            admission.check(report.header());
            file.publish();
            return report;
        }
    }

    /**
     * Reads text lists and writes their snapshot into an empty file, which stays open.
     *
     * @param name the name of the file in messages
     * @throws ListRefusedException if a list cannot be used
     */
    public BuildReport build(List<TextSource> lists, DiskFile file, Path name) throws IOException {
        try (SnapshotWriter writer = new SnapshotWriter(file, options, resources, seed, progress)) {
            byte[] digest = read(lists, writer);
            if (entries == 0) {
                throw new ListRefusedException(
                        names(lists)
                                + ": holds no entries ("
                                + lines
                                + " lines); a list without entries is refused. Put at least one"
                                + " entry into it");
            }
            SnapshotHeader header = writer.finish(buildTime, digest, new byte[0]);
            long duplicates = entries - writer.differentLines;
            complain(lists, writer);
            return new BuildReport(
                    lines,
                    badLines,
                    List.copyOf(complaints),
                    duplicates,
                    writer.contradictions,
                    resources.scratch().mostBytes(),
                    header);
        }
    }

    private synchronized AtomicFile begin(Path target) throws IOException {
        if (abandoned) {
            throw new CancellationException("the program is ending");
        }
        AtomicFile file = AtomicFile.of(resources.scratch().disk(), target);
        unfinished = file;
        return file;
    }

    /**
     * Deletes the unfinished snapshot, for a program that was asked to stop. The build cannot go
     * on, and none can begin. The temporary files of the sorting have no names and vanish with the
     * program.
     */
    public synchronized void abandon() {
        abandoned = true;
        if (unfinished != null) {
            unfinished.abandon();
        }
    }

    private static String names(List<TextSource> lists) {
        return lists.stream().map(TextSource::name).collect(Collectors.joining(", "));
    }

    /**
     * Reads all lists. Returns the digest of the list, or, of several lists, the digest of their
     * digests.
     */
    private byte[] read(List<TextSource> lists, SnapshotWriter writer) throws IOException {
        boolean sized = lists.stream().allMatch(list -> list.size() >= 0);
        long total = sized ? lists.stream().mapToLong(TextSource::size).sum() : -1;
        MessageDigest all = Sha256.start();
        byte[] digest = {};
        for (TextSource list : lists) {
            MessageDigest one = Sha256.start();
            try (InputStream in = counting(list.opener().open(), one, total)) {
                TextList.Summary summary = TextList.read(in, list.name(), writer::add);
                lines += summary.lines();
                entries += summary.entries();
                badLines += summary.badLines();
                summary.complaints().forEach(this::complain);
                in.transferTo(OutputStream.nullOutputStream());
            }
            digest = one.digest();
            all.update(digest);
        }
        progress.report(Phase.READING, bytesRead, total);
        return lists.size() == 1 ? digest : all.digest();
    }

    /** Returns a stream of a list that is digested, and its bytes reported, as it is read. */
    private InputStream counting(InputStream list, MessageDigest digest, long total) {
        return new DigestInputStream(list, digest) {
            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                int count = super.read(bytes, from, length);
                long before = bytesRead;
                bytesRead += Math.max(0, count);
                if (bytesRead / REPORT_EVERY > before / REPORT_EVERY) {
                    progress.report(Phase.READING, bytesRead, total);
                }
                return count;
            }
        };
    }

    private void complain(String complaint) {
        if (complaints.size() < COMPLAINTS_KEPT) {
            complaints.add(complaint);
        }
    }

    /** Counts as bad, and reports, the lines for which one sender has too many with conditions. */
    private void complain(List<TextSource> lists, SnapshotWriter writer)
            throws ListRefusedException {
        for (Entry entry : writer.crowded) {
            complain(
                    names(lists)
                            + ": '"
                            + Text.shown(entry.toString())
                            + "': too many lines with conditions for this sender and these"
                            + " recipients: at most "
                            + RulesCodec.MAX_BYTES
                            + " bytes fit. What does not fit is left out, and if it denies, the"
                            + " sender is denied without conditions; write fewer, or shorter"
                            + " notes");
        }
        long said = entries + badLines;
        entries -= writer.crowdedLines;
        badLines += writer.crowdedLines;
        if (TextList.areTooMany(badLines, said)) {
            throw ListRefusedException.mostlyBad(names(lists), badLines, said, complaints);
        }
    }
}
