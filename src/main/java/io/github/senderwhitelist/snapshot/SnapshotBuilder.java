package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A builder of snapshots of text lists, in bounded memory whatever their size. The same lists,
 * options and seed give the same bytes, whatever the memory.
 *
 * @param memory the most bytes for sorting, limited to a third of the heap; the filter comes on top
 *     when the sorting is done
 * @param seed the seed of the hashes: secret and random, or fixed to get the same bytes again
 * @param buildTime milliseconds since 1970 for the header; 0 for none
 */
public record SnapshotBuilder(
        BuildOptions options,
        long memory,
        Scratch scratch,
        long seed,
        long buildTime,
        BuildProgress progress) {
    /** The least bytes of memory that a build works with. */
    public static final long MIN_MEMORY = 4L << 20;

    static final int MAX_COMPLAINTS = 10;

    /** Takes no more memory than the heap allows. */
    public SnapshotBuilder {
        // The rest is for the filter and garbage.
        memory = Math.max(MIN_MEMORY, Math.min(memory, Runtime.getRuntime().maxMemory() / 3));
    }

    /**
     * Reads text lists and writes their snapshot into an empty file, which stays open. Lines for
     * which one sender has too many with conditions count as bad.
     *
     * @throws ListRefusedException if a list cannot be used
     */
    public BuildReport build(List<TextSource> lists, DiskFile file) throws IOException {
        String names = lists.stream().map(TextSource::name).collect(Collectors.joining(", "));
        MessageDigest digest = Sha256.start();
        try (SnapshotWriter writer = new SnapshotWriter(this, file, null)) {
            TextList.Summary read = read(lists, digest, writer);
            if (read.entries() == 0) {
                throw new ListRefusedException(
                        ("%s: holds no entries (%s lines); a list without entries is refused. Put"
                                        + " at least one entry into it")
                                .formatted(names, read.lines()));
            }
            SnapshotHeader header = writer.finish(buildTime, digest.digest(), new byte[0]);
            List<String> complaints =
                    Stream.concat(
                                    read.complaints().stream(),
                                    writer.crowded.stream().map(entry -> crowded(names, entry)))
                            .limit(MAX_COMPLAINTS)
                            .toList();
            long all = read.entries() + read.badLines();
            long bad = read.badLines() + writer.crowdedLines;
            TextList.requireFewBad(names, bad, all, complaints);
            long duplicates = read.entries() - writer.differentLines;
            return new BuildReport(
                    read.lines(), bad, complaints, duplicates, writer.contradictions, header);
        }
    }

    private static String crowded(String names, Entry entry) {
        return ("%s: '%s': too many lines with conditions for this sender and these recipients: at"
                        + " most %s bytes fit. What does not fit is left out, and if it denies, the"
                        + " sender is denied without conditions; write fewer, or shorter notes")
                .formatted(names, Text.shown(entry.toString()), RulesCodec.MAX_BYTES);
    }

    /** Reads all lists, digests their bytes, and returns what there was together. */
    private TextList.Summary read(
            List<TextSource> lists, MessageDigest digest, SnapshotWriter writer)
            throws IOException {
        boolean sized = lists.stream().allMatch(list -> list.size() >= 0);
        long total = sized ? lists.stream().mapToLong(TextSource::size).sum() : -1;
        AtomicLong bytes = new AtomicLong();
        List<TextList.Summary> each = new ArrayList<>();
        for (TextSource list : lists) {
            try (InputStream in =
                    new DigestInputStream(list.opener().open(), digest) {
                        @Override
                        public int read(byte[] into, int from, int length) throws IOException {
                            int count = super.read(into, from, length);
                            progress.report("reading", bytes.addAndGet(Math.max(0, count)), total);
                            return count;
                        }
                    }) {
                each.add(TextList.read(in, list.name(), writer::add));
                in.transferTo(OutputStream.nullOutputStream());
            }
        }
        return new TextList.Summary(
                each.stream().mapToLong(TextList.Summary::lines).sum(),
                each.stream().mapToLong(TextList.Summary::entries).sum(),
                each.stream().mapToLong(TextList.Summary::badLines).sum(),
                each.stream().flatMap(summary -> summary.complaints().stream()).toList());
    }
}
