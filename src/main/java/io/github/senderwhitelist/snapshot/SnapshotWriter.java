package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.DiskOutput;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterFiller;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;
import io.github.senderwhitelist.sort.SortedEntries;
import io.github.senderwhitelist.sort.SortedEntry;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.store.BlockStoreWriter;
import io.github.senderwhitelist.store.Serial;

import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Writes one snapshot in one pass over entries in the order of keys: blocks of the exact store as
 * entries come, then dictionary, index and filters, the header last.
 *
 * <p>The size of a filter depends on the number of its keys, which is known only at the end. A
 * filter is planned for the number expected and filled on the way. If the number was wrong, because
 * lists had duplicates, the filter is made again from the store. Static filters are made at the end
 * anyway.
 *
 * <p>A filter holds each sender once, however many recipients it has entries for.
 *
 * <p>Domain entries come before all addresses, because their sort keys begin with a zero.
 */
final class SnapshotWriter implements Closeable {
    private static final int ALIGNMENT = 4096;
    private static final int REPORT_EVERY = 1 << 16;
    private static final int MOST_DOMAIN_HASHES = 1 << 22;
    private static final int CROWDED_KEPT = 10;

    private final DiskFile out;
    private final Path name;
    private final BuildOptions options;
    private final long fillerMemory;
    private final Scratch scratch;
    private final int threads;
    private final KeyHasher hasher;
    private final long seed;
    private final long salt;
    private final BuildProgress progress;

    private long domains;
    private long addresses;
    private long denied;
    private long conditional;
    private long contradictions;
    private long rules;
    private long pairs;
    private long entries;
    private long personal;
    private long crowdedCount;
    private final List<Entry> crowded = new ArrayList<>();
    private long[] domainHashes = new long[64];
    private @Nullable FilterFiller filler;

    /**
     * Creates a writer.
     *
     * @param name the name of the file in messages
     * @param fillerMemory the bytes that hashes may take until a static filter is made of them
     * @param scratch the place for temporary files
     * @param threads the number of threads
     */
    SnapshotWriter(
            DiskFile out,
            Path name,
            BuildOptions options,
            long fillerMemory,
            Scratch scratch,
            int threads,
            long seed,
            long salt,
            BuildProgress progress) {
        this.out = out;
        this.name = name;
        this.options = options;
        this.fillerMemory = fillerMemory;
        this.scratch = scratch;
        this.threads = threads;
        this.seed = seed;
        this.salt = salt;
        this.hasher = new KeyHasher(seed);
        this.progress = progress;
    }

    /**
     * Writes the snapshot.
     *
     * @param sorted the entries, each once, of each sender first the one for all recipients
     * @param added the number of entries with all duplicates
     * @param atMost the number of entries, which duplicates may have made too high
     * @param withPairs whether some are for some recipients only, so that nobody knows how many
     *     senders there are
     * @param commonDomains the domains of the dictionary, the commonest first
     */
    SnapshotHeader write(
            SortedEntries sorted,
            long added,
            long atMost,
            boolean withPairs,
            List<byte[]> commonDomains,
            long buildTime,
            byte[] digest)
            throws IOException {
        DiskOutput written = new DiskOutput(out, ALIGNMENT);
        OutputStream blocksOut = new BufferedOutputStream(written, 1 << 18);
        BlockStoreWriter store =
                new BlockStoreWriter(blocksOut, commonDomains, salt, added, scratch);
        try (store) {
            for (SortedEntry entry = sorted.next(); entry != null; entry = sorted.next()) {
                store.append(entry.key(), entry.keyLength(), countRules(entry), entry.domain());
                countKey(entry, atMost, withPairs);
            }
            store.finish(threads, done -> progress.report(Phase.WRITING, done, written()));
        }
        blocksOut.flush();
        progress.report(Phase.WRITING, written(), written());
        Section blocks = new Section(ALIGNMENT, written.position() - ALIGNMENT, store.checksum());
        byte[] dictionaryBytes = store.dictionary();
        byte[] indexBytes = store.index();
        Section dictionary = write(dictionaryBytes);
        Section index = write(indexBytes);
        Filter[] filters = filters(store.blocks(), dictionaryBytes, indexBytes);
        Section addressBits = FilterSection.write(out, align(out.size()), filters[0]);
        Section domainBits = FilterSection.write(out, align(out.size()), filters[1]);
        SnapshotHeader header =
                new SnapshotHeader(
                        AddressSyntax.VERSION,
                        out.size(),
                        seed,
                        salt,
                        buildTime,
                        HexFormat.of().formatHex(digest),
                        addresses,
                        domains,
                        denied,
                        conditional,
                        pairs,
                        entries,
                        personal,
                        filters[0].shape(),
                        filters[1].shape(),
                        blocks,
                        dictionary,
                        index,
                        addressBits,
                        domainBits);
        out.writeFully(ByteBuffer.wrap(header.encode()), 0);
        return header;
    }

    /** Returns the number of entries that one line denies unconditionally and another lists. */
    long contradictions() {
        return contradictions;
    }

    /** Returns the number of rules written. */
    long rules() {
        return rules;
    }

    /** Returns how many entries have more rules than there is room for. */
    long crowdedCount() {
        return crowdedCount;
    }

    /** Returns the first of these entries, each with the first rule that was left out. */
    List<Entry> crowded() {
        return crowded;
    }

    private long written() {
        return domains + addresses + pairs;
    }

    /**
     * Counts the rules of an entry and returns those to be written: all but those that a denial
     * settles. If there was no room for a denial, it denies unconditionally, since the sender must
     * not count as listed.
     */
    private byte[] countRules(SortedEntry entry) throws IOException {
        byte[] encoded = entry.rules();
        if (encoded.length == 0) {
            rules++;
            entries++;
            return encoded;
        }
        Rule dropped = RulesCodec.dropped(encoded);
        if (dropped != null) {
            keepCrowded(entry, dropped);
        }
        List<Rule> all = new ArrayList<>(RulesCodec.kept(encoded));
        if (dropped != null && dropped.denied()) {
            all.add(Rule.DENIES);
            if (mayBeOfUsers(entry)) {
                all.add(Rule.USER_DENIES);
            }
        }
        boolean denies = all.stream().anyMatch(Rule::alwaysDenies);
        contradictions += denies && !all.stream().allMatch(Rule::denied) ? 1 : 0;
        List<Rule> needed =
                all.stream()
                        .filter(rule -> all.stream().noneMatch(other -> other.settles(rule)))
                        .toList();
        byte[] stored =
                !denies && dropped == null ? encoded : RulesCodec.withRules(encoded, needed);
        List<Rule> kept = RulesCodec.kept(stored);
        rules += kept.size();
        entries += kept.isEmpty() ? 0 : 1;
        denied += kept.stream().anyMatch(Rule::denied) ? 1 : 0;
        conditional += kept.stream().allMatch(Rule::unconditional) ? 0 : 1;
        personal += kept.stream().allMatch(rule -> rule.origin() == Origin.ADMIN) ? 0 : 1;
        return stored;
    }

    /**
     * Returns whether lines of this sender and for these recipients may be of users, or learned.
     */
    private static boolean mayBeOfUsers(SortedEntry entry) {
        byte[] key = entry.key();
        int senderEnd = SortKey.senderEnd(key, 0, entry.keyLength());
        return key[0] != 0
                && senderEnd < entry.keyLength()
                && SortKey.kind(key, senderEnd) == RecipientKind.ADDRESS;
    }

    /** Keeps an entry that has more rules than there is room for, with the first one dropped. */
    private void keepCrowded(SortedEntry entry, Rule dropped) {
        crowdedCount++;
        if (crowded.size() < CROWDED_KEPT) {
            crowded.add(SortKey.entry(entry.key(), 0, entry.keyLength(), dropped));
        }
    }

    /** Counts an entry, and keeps the hash of its sender for the filter it belongs to. */
    private void countKey(SortedEntry entry, long atMost, boolean withPairs) throws IOException {
        byte[] key = entry.key();
        int length = entry.keyLength();
        if (withPairs && SortKey.senderEnd(key, 0, length) < length) {
            pairs++;
        } else if (key[0] == 0) {
            addDomainHash(hasher.hashSortKey(key, length, 0));
            domains++;
        } else {
            if (filler == null && !withPairs) {
                FilterFiller made = filler(options.addressFilter(atMost - domains));
                filler = threads == 1 ? made : made.inBackground();
            }
            if (filler != null) {
                filler.add(hasher.hashSortKey(key, length, SortKey.localLength(key, 0)));
            }
            addresses++;
        }
        if ((written() & (REPORT_EVERY - 1)) == 0) {
            progress.report(Phase.MERGING, written(), atMost);
        }
    }

    /** Keeps the hash of a domain entry, unless there are so many that the store is read again. */
    private void addDomainHash(long hash) {
        if (domains < MOST_DOMAIN_HASHES) {
            if (domains == domainHashes.length) {
                domainHashes = Arrays.copyOf(domainHashes, 2 * domainHashes.length);
            }
            domainHashes[(int) domains] = hash;
        }
    }

    /** Makes the filters of addresses and of domains. */
    private Filter[] filters(long blocks, byte[] dictionary, byte[] index) throws IOException {
        FilterShape addressShape = options.addressFilter(addresses);
        FilterShape domainShape = options.domainFilter(domains);
        try (FilterFiller domainFiller = filler(domainShape)) {
            if (filler != null && filler.fits(addressShape) && domains <= MOST_DOMAIN_HASHES) {
                for (int i = 0; i < domains; i++) {
                    domainFiller.add(domainHashes[i]);
                }
            } else {
                close();
                filler = null; // Else there would be memory for two filters.
                filler = filler(addressShape);
                refill(blocks, dictionary, index, filler, domainFiller);
            }
            Filter ofAddresses =
                    filler.finish(
                            addressShape, done -> progress.report(Phase.SOLVING, done, addresses));
            return new Filter[] {ofAddresses, domainFiller.finish(domainShape)};
        }
    }

    private FilterFiller filler(FilterShape shape) {
        return FilterFiller.of(shape, fillerMemory, scratch);
    }

    /** Reads all entries of the store just written and adds them to their filters. */
    private void refill(
            long blocks,
            byte[] dictionary,
            byte[] index,
            FilterFiller addressFiller,
            FilterFiller domainFiller)
            throws IOException {
        BlockStore written =
                BlockStore.open(
                        out,
                        name,
                        ALIGNMENT,
                        blocks,
                        salt,
                        ByteBuffer.wrap(dictionary).order(Serial.ORDER),
                        ByteBuffer.wrap(index).order(Serial.ORDER));
        long[] done = new long[1];
        written.forEach(
                entry -> {
                    if (entry.to() == null) {
                        (entry.key().isDomain() ? domainFiller : addressFiller)
                                .add(hasher.hash(entry.key()));
                    }
                    if ((++done[0] & (REPORT_EVERY - 1)) == 0) {
                        progress.report(Phase.FILTERING, done[0], written());
                    }
                });
    }

    @Override
    public void close() throws IOException {
        if (filler != null) {
            filler.close();
        }
    }

    private Section write(byte[] bytes) throws IOException {
        long offset = align(out.size());
        out.writeFully(ByteBuffer.wrap(bytes), offset);
        return new Section(offset, bytes.length, Checksums.crc(ByteBuffer.wrap(bytes)));
    }

    private static long align(long position) {
        return (position + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
