package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A builder of snapshots of text lists, in bounded memory whatever their size. The same lists,
 * options and seed give the same bytes, whatever the memory.
 */
public final class SnapshotBuilder {
    /** The least bytes of memory that a build works with. */
    public static final long MIN_MEMORY = 4L << 20;

    /** Sorting may use this part of the heap; the rest is for the filter and garbage. */
    private static final int SHARE_OF_HEAP = 3;

    private static final int COMPLAINTS_KEPT = 10;
    private static final long REPORT_EVERY = 1 << 22;

    private final BuildOptions options;
    private final long memory;
    private final Scratch scratch;
    private final long seed;
    private final long buildTime;
    private final BuildProgress progress;

    private final List<String> complaints = new ArrayList<>();
    private long lines;
    private long entries;
    private long badLines;
    private long bytesRead;

    /**
     * Creates a builder, for one snapshot.
     *
     * @param memory the most bytes for sorting. A small list takes less. At most a third of the
     *     heap is used; the filter comes on top when the sorting is done
     * @param scratch the place for temporary files
     * @param seed the seed of the hashes: secret and random, or fixed to get the same bytes again
     * @param buildTime milliseconds since 1970 for the header; 0 for none
     */
    public SnapshotBuilder(
            BuildOptions options,
            long memory,
            Scratch scratch,
            long seed,
            long buildTime,
            BuildProgress progress) {
        long ofHeap = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
        this.options = options;
        this.memory = Math.max(MIN_MEMORY, Math.min(memory, ofHeap));
        this.scratch = scratch;
        this.seed = seed;
        this.buildTime = buildTime;
        this.progress = progress;
    }

    /**
     * Reads text lists and writes their snapshot into an empty file, which stays open.
     *
     * @throws ListRefusedException if a list cannot be used
     */
    public BuildReport build(List<TextSource> lists, DiskFile file) throws IOException {
        try (SnapshotWriter writer =
                new SnapshotWriter(null, file, options, memory, scratch, seed, progress)) {
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
                    header);
        }
    }

    private static String names(List<TextSource> lists) {
        return lists.stream().map(TextSource::name).collect(Collectors.joining(", "));
    }

    /** Reads all lists, and returns the digest of their bytes. */
    private byte[] read(List<TextSource> lists, SnapshotWriter writer) throws IOException {
        boolean sized = lists.stream().allMatch(list -> list.size() >= 0);
        long total = sized ? lists.stream().mapToLong(TextSource::size).sum() : -1;
        MessageDigest digest = Sha256.start();
        for (TextSource list : lists) {
            try (InputStream in = counting(list.opener().open(), digest, total)) {
                TextList.Summary summary = TextList.read(in, list.name(), writer::add);
                lines += summary.lines();
                entries += summary.entries();
                badLines += summary.badLines();
                summary.complaints().forEach(this::complain);
                in.transferTo(OutputStream.nullOutputStream());
            }
        }
        progress.report(Phase.READING, bytesRead, total);
        return digest.digest();
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
