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
 * The writer of one snapshot, in one pass over entries in the order of keys: blocks of the exact
 * store as entries come, then dictionary, index and filters, the header last.
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
    static final int ALIGNMENT = 4096;
    private static final int REPORT_EVERY = 1 << 16;
    private static final int MOST_DOMAIN_HASHES = 1 << 22;
    private static final int CROWDED_KEPT = 10;

    /**
     * The part of a living list's filter that may be left free for more addresses: one in this
     * many.
     */
    private static final int ROOM = 8;

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
    private long crowdedLines;
    private final List<Entry> crowded = new ArrayList<>();
    private long[] domainHashes = new long[64];
    private @Nullable FilterFiller filler;
    private final DiskOutput written;
    private final OutputStream blocksOut;
    private final BlockStoreWriter store;
    private final Expected expected;

    /** The number of addresses that the filter was planned for. */
    private long planned;

    /**
     * The expected counts of the entries.
     *
     * @param added the number of entries with all duplicates
     * @param atMost the number of entries, which duplicates may have made too high
     * @param senders the number of senders, or a negative one if it is unknown, because some
     *     entries are for some recipients only
     * @param living whether the list is a living one, which needs all lines of all origins, and
     *     whose filter may have room for more senders than there are
     */
    record Expected(long added, long atMost, long senders, boolean living) {}

    /**
     * Creates a writer.
     *
     * @param name the name of the file in messages
     * @param fillerMemory the bytes that hashes may take until a static filter is made of them
     * @param scratch the place for temporary files
     * @param threads the number of threads
     * @param commonDomains the domains of the dictionary, the commonest first
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
            Expected expected,
            List<byte[]> commonDomains,
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
        this.expected = expected;
        this.progress = progress;
        this.written = new DiskOutput(out, ALIGNMENT);
        this.blocksOut = new BufferedOutputStream(written, 1 << 18);
        this.store = new BlockStoreWriter(blocksOut, commonDomains, salt, expected.added, scratch);
    }

    /**
     * Appends an entry. They come in the order of keys, each once, of each sender first the one for
     * all recipients.
     *
     * @param key an array that begins with the sort key
     * @param length the length of the sort key
     * @param rules its rules, encoded by {@link RulesCodec}
     * @param domain a small number that only entries with the same last domain have, or a negative
     *     one
     */
    void append(byte[] key, int length, byte[] rules, int domain) throws IOException {
        store.append(key, length, countRules(key, length, rules), domain);
        countKey(key, length);
    }

    /**
     * Writes the other parts, the header last.
     *
     * @param buildTime milliseconds since 1970; 0 for none
     * @param digest the SHA-256 of the sources
     * @param feed what a living list keeps with its snapshot; empty for none
     */
    SnapshotHeader finish(long buildTime, byte[] digest, byte[] feed) throws IOException {
        store.finish(threads, done -> progress.report(Phase.WRITING, done, written()));
        store.close();
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
        Section feedBytes = feed.length == 0 ? new Section(0, 0, 0) : write(feed);
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
                        domainBits,
                        feedBytes);
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

    /** Returns how many rules there was no room for in their entries. */
    long crowdedLines() {
        return crowdedLines;
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
    private byte[] countRules(byte[] key, int length, byte[] encoded) throws IOException {
        if (encoded.length == 0) {
            rules++;
            entries++;
            return encoded;
        }
        Rule dropped = RulesCodec.dropped(encoded);
        if (dropped != null) {
            crowdedLines += RulesCodec.countDropped(encoded);
            keepCrowded(key, length, dropped);
        }
        List<Rule> all = new ArrayList<>(RulesCodec.kept(encoded));
        if (dropped != null && dropped.denied()) {
            all.add(Rule.DENIES);
            if (mayBeOfUsers(key, length)) {
                all.add(Rule.USER_DENIES);
            }
        }
        boolean denies = all.stream().anyMatch(Rule::alwaysDenies);
        contradictions += denies && !all.stream().allMatch(Rule::denied) ? 1 : 0;
        byte[] stored = encoded;
        List<Rule> kept = all;
        if (!expected.living && (denies || dropped != null)) {
            List<Rule> needed =
                    all.stream()
                            .filter(rule -> all.stream().noneMatch(other -> other.settles(rule)))
                            .toList();
            stored = RulesCodec.withRules(encoded, needed);
            kept = RulesCodec.kept(stored);
        }
        rules += kept.size();
        entries += kept.isEmpty() ? 0 : 1;
        denied += kept.stream().anyMatch(Rule::denied) ? 1 : 0;
        conditional += kept.stream().allMatch(Rule::unconditional) ? 0 : 1;
        personal += kept.stream().allMatch(rule -> rule.origin() == Origin.ADMIN) ? 0 : 1;
        return stored;
    }

    /** Returns whether lines with this sort key may be of users, or learned. */
    private static boolean mayBeOfUsers(byte[] key, int length) {
        int senderEnd = SortKey.senderEnd(key, 0, length);
        return key[0] != 0
                && senderEnd < length
                && SortKey.kind(key, senderEnd) == RecipientKind.ADDRESS;
    }

    /** Keeps an entry that has more rules than there is room for, with the first one dropped. */
    private void keepCrowded(byte[] key, int length, Rule dropped) {
        if (crowded.size() < CROWDED_KEPT) {
            crowded.add(SortKey.entry(key, 0, length, dropped));
        }
    }

    /** Counts an entry, and keeps the hash of its sender for the filter it belongs to. */
    private void countKey(byte[] key, int length) throws IOException {
        boolean mayBePair = expected.living || expected.senders < 0;
        if (mayBePair && SortKey.senderEnd(key, 0, length) < length) {
            pairs++;
        } else if (key[0] == 0) {
            addDomainHash(hasher.hashSortKey(key, length, 0));
            domains++;
        } else {
            if (filler == null && expected.senders >= 0) {
                planned = expected.senders - domains;
                filler = filler(options.addressFilter(planned));
            }
            if (filler != null) {
                filler.add(hasher.hashSortKey(key, length, SortKey.localLength(key, 0)));
            }
            addresses++;
        }
        if ((written() & (REPORT_EVERY - 1)) == 0) {
            progress.report(Phase.MERGING, written(), expected.atMost);
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
        boolean hasRoom =
                expected.living && addresses <= planned && addresses >= planned - planned / ROOM;
        FilterShape addressShape = options.addressFilter(hasRoom ? planned : addresses);
        FilterShape domainShape = options.domainFilter(domains);
        try (FilterFiller domainFiller = filler(domainShape)) {
            if (filler != null && filler.fits(addressShape) && domains <= MOST_DOMAIN_HASHES) {
                for (int i = 0; i < domains; i++) {
                    domainFiller.add(domainHashes[i]);
                }
            } else {
                if (filler != null) {
                    filler.close();
                }
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
        store.close();
        if (filler != null) {
            filler.close();
        }
    }

    private Section write(byte[] bytes) throws IOException {
        long offset = align(Math.max(ALIGNMENT, out.size()));
        out.writeFully(ByteBuffer.wrap(bytes), offset);
        return new Section(offset, bytes.length, Checksums.crc(ByteBuffer.wrap(bytes)));
    }

    private static long align(long position) {
        return (position + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
