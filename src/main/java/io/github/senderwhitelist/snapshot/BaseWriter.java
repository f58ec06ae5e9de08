package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Folders;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The writer of the base of a living list: a snapshot of entries in the order of keys, with all
 * lines of all origins, and with what the list keeps beside them. The finished base replaces its
 * file. Memory is bounded, whatever the number of entries.
 */
public final class BaseWriter implements Closeable {
    /** The number of entries from whose domains the dictionary is made. */
    private static final int SAMPLE = 1 << 16;

    private static final int MOST_DOMAINS = 1 << 15;

    /**
     * The most entries of a sender whose kinds of recipients are determined; of a sender with more,
     * all kinds are assumed.
     */
    private static final int MOST_OF_SENDER = 10_000;

    /** The memory for the hashes of a static filter. */
    private static final long FILLER_MEMORY = 8L << 20;

    private final AtomicFile file;
    private final Path target;
    private final BuildOptions options;
    private final Scratch scratch;
    private final int threads;
    private final long seed;
    private final SnapshotWriter.Expected expected;
    private final BuildProgress progress;

    /** The first entries, until the dictionary is made of their domains. */
    private @Nullable List<Entry> sample = new ArrayList<>();

    private @Nullable SnapshotWriter writer;

    /** The entries of the last sender that are not yet written. */
    private final List<Entry> ofSender = new ArrayList<>();

    private @Nullable Key sender;

    /** Whether the last sender has more entries than are looked at together. */
    private boolean isLarge;

    /**
     * Begins a base.
     *
     * @param target the file that it is to replace; its folder is made if it is missing
     * @param threads the number of threads that make it
     * @param seed the seed of the filters' hashes, secret and random
     * @param entries the approximate number of entries
     * @param senders the most senders that there are; negative if unknown, which takes another pass
     *     over the entries written
     */
    public BaseWriter(
            Disk disk,
            Path target,
            BuildOptions options,
            int threads,
            long seed,
            long entries,
            long senders,
            BuildProgress progress)
            throws IOException {
        Path folder = Objects.requireNonNull(target.toAbsolutePath().getParent());
        Folders.make(disk, folder);
        AtomicFile.sweep(disk, target);
        this.target = target;
        this.options = options;
        this.scratch = new Scratch(disk, folder);
        this.threads = threads;
        this.seed = seed;
        this.expected = new SnapshotWriter.Expected(entries, entries, senders, true);
        this.progress = progress;
        this.file = AtomicFile.of(disk, target);
    }

    /** Returns whether a base can hold an entry with these rules. */
    public static boolean fits(List<Rule> rules) {
        return RulesCodec.encode(rules, Set.of()) != null;
    }

    /** Takes the next entry in the order of {@link Entry#ORDER}, whose rules {@link #fits}. */
    public void add(Entry entry) throws IOException {
        if (sample == null) {
            take(entry);
            return;
        }
        sample.add(entry);
        if (sample.size() == SAMPLE) {
            endSample(sample);
        }
    }

    private SnapshotWriter endSample(List<Entry> first) throws IOException {
        SnapshotWriter made =
                new SnapshotWriter(
                        file.file(),
                        target,
                        options,
                        FILLER_MEMORY,
                        scratch,
                        threads,
                        seed,
                        new SecureRandom().nextLong(),
                        expected,
                        commonDomains(first),
                        progress);
        writer = made;
        sample = null;
        for (Entry entry : first) {
            take(entry);
        }
        return made;
    }

    /** Returns the domains that occur more than once, the commonest first. */
    private static List<byte[]> commonDomains(List<Entry> entries) {
        Map<ByteBuffer, Integer> counts = new HashMap<>();
        for (Entry entry : entries) {
            count(entry.key(), counts);
            if (entry.to() != null) {
                count(entry.to(), counts);
            }
        }
        return counts.entrySet().stream()
                .filter(domain -> domain.getValue() > 1)
                .sorted(
                        Map.Entry.<ByteBuffer, Integer>comparingByValue()
                                .reversed()
                                .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
                .limit(MOST_DOMAINS)
                .map(domain -> bytes(domain.getKey()))
                .toList();
    }

    private static void count(Key key, Map<ByteBuffer, Integer> counts) {
        byte[] bytes = key.bytes();
        int from = key.domainStart();
        counts.merge(ByteBuffer.wrap(bytes, from, bytes.length - from), 1, Integer::sum);
    }

    private static byte[] bytes(ByteBuffer domain) {
        byte[] bytes = new byte[domain.remaining()];
        domain.duplicate().get(bytes);
        return bytes;
    }

    private void take(Entry entry) throws IOException {
        if (!entry.key().equals(sender)) {
            flush(kinds());
            sender = entry.key();
            isLarge = false;
        }
        if (isLarge) {
            append(entry, Set.of());
            return;
        }
        ofSender.add(entry);
        if (ofSender.size() > MOST_OF_SENDER) {
            flush(EnumSet.allOf(RecipientKind.class));
            isLarge = true;
        }
    }

    private Set<RecipientKind> kinds() {
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (Entry entry : ofSender) {
            if (entry.to() != null) {
                kinds.add(RecipientKind.of(entry.to()));
            }
        }
        return kinds;
    }

    /** Writes the entries of the last sender, before them one for all recipients. */
    private void flush(Set<RecipientKind> kinds) throws IOException {
        if (ofSender.isEmpty()) {
            return;
        }
        Entry first = ofSender.getFirst();
        boolean forAll = first.to() == null;
        append(forAll ? first : new Entry(first.key(), null, List.of()), kinds);
        for (Entry entry : ofSender.subList(forAll ? 1 : 0, ofSender.size())) {
            append(entry, Set.of());
        }
        ofSender.clear();
    }

    private void append(Entry entry, Set<RecipientKind> kinds) throws IOException {
        byte[] rules = RulesCodec.encode(entry.rules(), kinds);
        if (rules == null) {
            throw new IllegalArgumentException("too many rules of " + entry);
        }
        byte[] key = SortKey.of(entry.key(), entry.to());
        Objects.requireNonNull(writer).append(key, key.length, rules, -1);
    }

    /**
     * Writes the rest, forces the base to the disk, and puts it in the place of its file.
     *
     * @param asOf the time that the list is known of, in milliseconds since 1970
     * @param feed what the list keeps with its base
     */
    public SnapshotHeader finish(long asOf, byte[] feed) throws IOException {
        SnapshotWriter made = sample == null ? writer : endSample(sample);
        flush(kinds());
        SnapshotHeader header =
                Objects.requireNonNull(made).finish(asOf, Sha256.start().digest(feed), feed);
        file.publish();
        return header;
    }

    @Override
    public void close() throws IOException {
        try (file) {
            if (writer != null) {
                writer.close();
            }
        }
    }
}
