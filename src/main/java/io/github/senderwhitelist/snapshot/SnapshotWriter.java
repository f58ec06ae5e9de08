package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterFiller;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.BlockWriter;
import io.github.senderwhitelist.store.EntrySorter;
import io.github.senderwhitelist.store.SortedEntries;
import io.github.senderwhitelist.store.SortedEntries.Encoded;

import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The writer of one snapshot, of a text list or as the base of a living list. Lines are added in
 * any order and sorted in bounded memory. Then they are read twice: to count them, since the size
 * of the filters and the ranks of domains depend on all, and to write the blocks of the exact store
 * and fill the filters. The header comes last.
 *
 * <p>The same lines, options and seed give the same bytes, apart from the header and what a living
 * list keeps with its base. For one thread.
 */
public final class SnapshotWriter implements Closeable {
    /** The memory for sorting a base, which is written while a server is at work. */
    private static final long BASE_MEMORY = 32L << 20;

    private static final int REPORT_EVERY = 1 << 16;

    /** What is kept of denials without room. Those of users name whole addresses. */
    private static final List<byte[]> DENIALS =
            Stream.of(Rule.DENIES, Rule.USER_DENIES).map(RulesCodec::encode).toList();

    private final SnapshotBuilder builder;
    private final DiskFile out;

    /** What publishes a base, and is closed with the writer; null if the caller does. */
    private final @Nullable AtomicFile replacement;

    private final long fillerMemory;
    private final EntrySorter sorter;

    private long lines;
    private long domains;
    private long addresses;
    private long denied;
    private long conditional;
    private long pairs;
    private long entries;
    private long personal;

    /** Entries that one line denies unconditionally and another lists. */
    long contradictions;

    long differentLines;

    /** Lines that there was no room for in their entries. */
    long crowdedLines;

    /** The first of these entries, each with the first rule that was left out. */
    final List<Entry> crowded = new ArrayList<>();

    /** Creates a writer of a snapshot into an empty file, which stays open. */
    SnapshotWriter(SnapshotBuilder builder, DiskFile out, @Nullable AtomicFile replacement) {
        this.builder = builder;
        this.out = out;
        this.replacement = replacement;
        // Only a ribbon filter keeps hashes until all have come.
        this.fillerMemory =
                builder.options().kind() == FilterKind.RIBBON ? builder.memory() / 4 : 0;
        this.sorter = new EntrySorter(builder.memory() - fillerMemory, builder.scratch());
    }

    /**
     * Returns a writer of the base of a living list, which replaces its file when it is finished.
     * The folder is made if it is missing; the seed of the hashes is secret and random.
     */
    public static SnapshotWriter ofBase(Disk disk, Path target, BuildOptions options, long seed)
            throws IOException {
        Path folder = Objects.requireNonNull(target.toAbsolutePath().getParent());
        Disk.createFolders(disk, folder);
        AtomicFile.sweep(disk, target);
        AtomicFile file = AtomicFile.create(disk, target);
        Scratch scratch = new Scratch(disk, folder);
        BuildProgress none = (step, done, all) -> {};
        SnapshotBuilder builder = new SnapshotBuilder(options, BASE_MEMORY, scratch, seed, 0, none);
        return new SnapshotWriter(builder, file.file(), file);
    }

    /** Adds all lines of an entry. */
    public void add(Entry entry) throws IOException {
        byte[] key = SortKey.of(entry.key(), entry.to());
        for (Rule rule : entry.rules()) {
            add(key, 0, key.length, RulesCodec.encode(rule));
        }
    }

    /** Adds the line with the sort key {@code bytes[from, from + length)} and an encoded rule. */
    void add(byte[] bytes, int from, int length, byte[] rule) throws IOException {
        lines++;
        sorter.add(bytes, from, length, rule);
    }

    /**
     * Writes the base of a living list and puts it in the place of its file.
     *
     * @param asOf the time that the list is known of, in milliseconds since 1970
     * @param feed what the list keeps with its base, which is at least one byte
     */
    public SnapshotHeader finish(long asOf, byte[] feed) throws IOException {
        SnapshotHeader header = finish(asOf, Sha256.start().digest(feed), feed);
        Objects.requireNonNull(replacement).publish();
        return header;
    }

    /**
     * Writes the snapshot.
     *
     * @param time milliseconds since 1970; 0 for none
     * @param digest the SHA-256 of the sources
     * @param feed what a living list keeps with its snapshot; empty for none
     */
    SnapshotHeader finish(long time, byte[] digest, byte[] feed) throws IOException {
        BufferedOutputStream buffered =
                new BufferedOutputStream(out.output(Section.ALIGNMENT), 1 << 18);
        BlockWriter writer = new BlockWriter(buffered);
        count(writer);
        Filter domainFilter = builder.options().domainFilter(domains).create();
        FilterShape shape = builder.options().addressFilter(addresses);
        try (FilterFiller filler = new FilterFiller(shape, fillerMemory, builder.scratch())) {
            byte[] index = write(writer, filler, domainFilter);
            buffered.flush();
            sorter.close();
            // Of no entries, nothing is written.
            long stored = Math.max(0, out.size() - Section.ALIGNMENT);
            LongConsumer solved = done -> builder.progress().report("solving", done, addresses);
            List<Section> sections =
                    List.of(
                            new Section(Section.ALIGNMENT, stored, 0),
                            Section.write(out, writer.ranks()),
                            Section.write(out, index),
                            Section.write(out, filler.finish(solved)),
                            Section.write(out, domainFilter),
                            feed.length == 0 ? Section.NONE : Section.write(out, feed));
            LongStream counts =
                    LongStream.of(
                            addresses, domains, denied, conditional, pairs, personal, entries);
            List<FilterShape> filters = List.of(shape, domainFilter.shape());
            return SnapshotHeader.write(
                    out, builder.seed(), time, digest, counts, filters, sections);
        }
    }

    /** Reads all entries and counts them, their domains, and their rules. */
    private void count(BlockWriter writer) throws IOException {
        SortedEntries sorted = sorter.sorted(done -> report("merging", done, lines));
        for (Encoded entry = sorted.next(); entry != null; entry = sorted.next()) {
            if (entry.kind() != 0) {
                pairs++;
            } else if (entry.key()[0] == 0) {
                domains++;
            } else {
                addresses++;
            }
            List<byte[]> encoded = entry.rules();
            differentLines += encoded.size();
            entries += encoded.isEmpty() ? 0 : 1;
            if (encoded.size() > 1 || (encoded.size() == 1 && encoded.getFirst().length > 0)) {
                countRules(entry);
            }
            writer.count(entry.key(), rules(entry));
            report("counting", pairs + domains + addresses, lines);
        }
        writer.rank();
    }

    private void countRules(Encoded entry) throws IOException {
        byte[] all = RulesCodec.join(0, entry.rules());
        List<Rule> rules = RulesCodec.decode(all, 0);
        int fitting = RulesCodec.fitting(entry.rules());
        crowdedLines += rules.size() - fitting;
        if (fitting < rules.size() && crowded.size() < SnapshotBuilder.MAX_COMPLAINTS) {
            crowded.add(SortKey.entry(entry.key()).withOnly(rules.get(fitting)));
        }
        boolean alwaysDenies = rules.stream().anyMatch(Rule::alwaysDenies);
        denied += rules.stream().anyMatch(Rule::denied) ? 1 : 0;
        contradictions += alwaysDenies && !rules.stream().allMatch(Rule::denied) ? 1 : 0;
        conditional += rules.stream().allMatch(Rule::unconditional) ? 0 : 1;
        personal += rules.stream().allMatch(rule -> rule.origin() == Origin.ADMIN) ? 0 : 1;
    }

    /** Reads and writes all entries, adds their senders to the filters, and returns the index. */
    private byte[] write(BlockWriter writer, FilterFiller ofAddresses, Filter ofDomains)
            throws IOException {
        KeyHasher hasher = new KeyHasher(builder.seed());
        SortedEntries sorted = sorter.sorted(done -> {});
        long done = 0;
        for (Encoded entry = sorted.next(); entry != null; entry = sorted.next()) {
            byte[] key = entry.key();
            writer.append(key, rules(entry));
            if (entry.kind() == 0) {
                if (key[0] == 0) {
                    ofDomains.add(hasher.hash(key, 1));
                } else {
                    ofAddresses.add(hasher.hash(key, 0));
                }
            }
            report("writing", ++done, pairs + domains + addresses);
        }
        return writer.finish();
    }

    private void report(String step, long done, long total) {
        if ((done & (REPORT_EVERY - 1)) == 0 || done == total) {
            builder.progress().report(step, done, total);
        }
    }

    /**
     * Returns the encoding of the lines of an entry for which there is room. If there is none for a
     * denial, the entry denies unconditionally, since the sender must not count as listed.
     */
    private static byte[] rules(Encoded entry) throws IOException {
        List<byte[]> all = entry.rules();
        List<byte[]> kept = all.subList(0, RulesCodec.fitting(all));
        if (kept.size() < all.size()) {
            byte[] next = all.get(kept.size());
            if (RulesCodec.decode(next, 0).getFirst().denied()) {
                boolean mayBeOfUsers =
                        entry.key()[0] != 0 && entry.kind() == RecipientKind.ADDRESS.code();
                kept = DENIALS.subList(0, mayBeOfUsers ? 2 : 1);
            }
        }
        return RulesCodec.join(entry.kinds(), kept);
    }

    @Override
    public void close() throws IOException {
        try (replacement) {
            sorter.close();
        }
    }
}
