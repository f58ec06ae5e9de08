package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.DiskOutput;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * An external merge sort of entries by their keys, in bounded memory. Workers sort small batches
 * and keep them as runs in memory. When that is full, they merge the runs into one run in a
 * temporary file. At the end all runs are merged. A list that fits into memory never touches the
 * disk, and takes little more memory than its entries do.
 */
public final class EntrySorter implements Closeable {
    private static final String BEING_READ = "the sorter is being read";
    private static final int LEAST_READ_BUFFER = 1 << 14;
    private static final int MOST_READ_BUFFER = 1 << 19;

    /** This part of the memory is for counting domains. */
    private static final int COUNTS_SHARE = 8;

    /** The entries that are sorted at once: so few that they stay in the processor's cache. */
    private static final int BUFFER_ENTRIES = 1 << 15;

    /** About the memory that they take. */
    private static final int BUFFER_BYTES = BUFFER_ENTRIES * 48;

    /** Has room for the counts, the buffer, and more than one run of its size. */
    private static final long LEAST_PER_WORKER = 4L << 20;

    private final Scratch scratch;
    private final long memory;
    private final List<Worker> workers = new ArrayList<>();

    /**
     * Creates a sorter.
     *
     * @param memory the most bytes that buffers may take
     * @param workers the most workers to create; there are fewer if there is not enough memory
     * @param scratch the place for temporary files
     */
    public EntrySorter(long memory, int workers, Scratch scratch) {
        this.scratch = scratch;
        this.memory = memory;
        int atWork = Math.clamp(memory / LEAST_PER_WORKER, 1, workers);
        for (int i = 0; i < atWork; i++) {
            long share = Math.max(LEAST_PER_WORKER, memory / atWork);
            this.workers.add(new Worker(share, i * RunCode.MOST_DOMAINS));
        }
    }

    /** Returns the workers, each for one thread. */
    public List<Worker> workers() {
        return workers;
    }

    /** Returns the bytes that sorted runs take on disk now. */
    public long temporaryBytes() {
        return workers.stream().mapToLong(Worker::temporaryBytes).sum();
    }

    /** Returns the number of entries added that are for some recipients only. */
    public long pairs() {
        return workers.stream().mapToLong(worker -> worker.pairs).sum();
    }

    /** Returns the number of entries added, less the duplicates found so far. */
    public long entries() {
        return workers.stream().mapToLong(worker -> worker.entries).sum();
    }

    /**
     * Returns all entries in order. Some of them may have equal keys. No entries may be added after
     * this call.
     */
    public SortedEntries sorted() throws IOException {
        boolean anyOnDisk = false;
        for (Worker worker : workers) {
            worker.endCounts();
            worker.sortBuffer();
            anyOnDisk |= worker.onDisk != null;
        }
        int runs = 0;
        for (Worker worker : workers) {
            if (anyOnDisk) {
                worker.spill();
                worker.inMemory = null;
            }
            runs += worker.onDisk == null ? 0 : worker.onDisk.runs();
        }
        long share = memory / 2 / Math.max(1, runs);
        int bufferSize = (int) Math.clamp(share, (long) LEAST_READ_BUFFER, (long) MOST_READ_BUFFER);
        List<SortedEntries> rows = new ArrayList<>();
        for (Worker worker : workers) {
            worker.addRows(rows, bufferSize);
        }
        return new MergedEntries(rows);
    }

    /**
     * Returns at most {@code most} domains, the commonest first. No entries may be added after this
     * call.
     */
    public List<byte[]> commonDomains(long most) throws IOException {
        for (Worker worker : workers) {
            worker.endCounts();
        }
        return CommonDomains.choose(openCounts(), most);
    }

    private List<DomainCounts.Reader> openCounts() throws IOException {
        List<DomainCounts.Reader> readers = new ArrayList<>();
        for (Worker worker : workers) {
            worker.openCounts(readers);
        }
        return readers;
    }

    /** Closes all temporary files, even if closing one fails. */
    @Override
    public void close() throws IOException {
        List<Closeable> files = new ArrayList<>();
        workers.forEach(worker -> worker.addFiles(files));
        IOException failure = null;
        for (Closeable file : files) {
            try {
                file.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** A part of the sorter that one thread adds entries to. */
    public final class Worker {
        private @Nullable DomainCounts counts;

        /** The domains that are counted; runs have the numbers of those that keep them. */
        private final DomainTable domains;

        private final RunBuffer buffer = new RunBuffer(BUFFER_ENTRIES);
        private @Nullable MemoryRuns inMemory;
        private @Nullable RunFile onDisk;

        /** Batches of counts that had no room in memory. */
        private @Nullable DiskFile countsFile;

        /** The position of each batch. */
        private final List<Long> countsStarts = new ArrayList<>();

        /** The counts, if all of them had room in memory. */
        private byte @Nullable [] countsInMemory;

        private long entries;
        private long pairs;

        private Worker(long memory, int firstId) {
            long forCounts = memory / COUNTS_SHARE;
            DomainCounts counted = new DomainCounts(forCounts, RunCode.MOST_DOMAINS, firstId);
            this.counts = counted;
            this.domains = counted.domains();
            this.inMemory = new MemoryRuns(memory - forCounts - BUFFER_BYTES, domains);
        }

        /**
         * Adds the entry, of one line, with the sort key {@code bytes[from, from + length)}.
         *
         * @param rules its rules, encoded by {@link RulesCodec}
         */
        public void add(byte[] bytes, int from, int length, byte[] rules) throws IOException {
            int senderEnd = SortKey.senderEnd(bytes, from, from + length);
            int domain = count(bytes, from, senderEnd);
            if (senderEnd < from + length) {
                int ofRecipients = count(bytes, SortKey.recipientsStart(senderEnd), from + length);
                pairs++;
                RecipientKind kind = SortKey.kind(bytes, senderEnd);
                if (kind != RecipientKind.ADDRESS) {
                    // These sort last, so their kind must go into the sender's own entry now.
                    put(bytes, from, senderEnd - from, domain, RulesCodec.onlyKind(kind));
                }
                domain = ofRecipients;
            }
            put(bytes, from, length, domain, rules);
        }

        /**
         * Counts the domain of the key {@code bytes[from, to)}, and returns its id, if it has one
         * in runs.
         */
        private int count(byte[] bytes, int from, int to) throws IOException {
            int domain = from + SortKey.localLength(bytes, from) + 1;
            DomainCounts counted = Objects.requireNonNull(counts, BEING_READ);
            int number = counted.add(bytes, domain, to, 1);
            if (number == DomainCounts.NO_ROOM) {
                drain(counted);
                number = counted.add(bytes, domain, to, 1);
            }
            return number < 0 ? -1 : domains.id(number);
        }

        private void put(byte[] bytes, int from, int length, int domain, byte[] rules)
                throws IOException {
            if (!buffer.add(bytes, from, length, domain, rules)) {
                sortBuffer();
                buffer.add(bytes, from, length, domain, rules);
            }
            entries++;
        }

        /** Sorts the buffer and makes it a run in memory. */
        private void sortBuffer() throws IOException {
            if (buffer.count() == 0) {
                return;
            }
            if (!memoryRuns().hasRoom(buffer.count(), buffer.bytes())) {
                spill();
            }
            DistinctEntries distinct = new DistinctEntries(buffer.sorted());
            memoryRuns().write(distinct);
            entries -= distinct.duplicates();
            buffer.clear();
        }

        /** Merges the runs in memory into one on disk. */
        private void spill() throws IOException {
            if (memoryRuns().isEmpty()) {
                return;
            }
            if (onDisk == null) {
                onDisk = new RunFile(scratch, domains);
            }
            DistinctEntries distinct = new DistinctEntries(new MergedEntries(memoryRuns().rows()));
            onDisk.write(distinct);
            entries -= distinct.duplicates();
            memoryRuns().clear();
        }

        private MemoryRuns memoryRuns() {
            return Objects.requireNonNull(inMemory, BEING_READ);
        }

        private void addRows(List<SortedEntries> rows, int bufferSize) {
            if (inMemory != null) {
                rows.addAll(inMemory.rows());
            }
            for (int run = 0; onDisk != null && run < onDisk.runs(); run++) {
                rows.add(onDisk.read(run, bufferSize));
            }
        }

        /** Ends the counting. If some counts are on disk, the others are written there, too. */
        private void endCounts() throws IOException {
            DomainCounts last = counts;
            if (last == null) {
                return;
            }
            if (countsFile == null) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                last.drainTo(new DataOutputStream(out));
                countsInMemory = out.toByteArray();
            } else {
                drain(last);
            }
            domains.end();
            counts = null;
        }

        /** Writes counts to the file as one batch. */
        private void drain(DomainCounts full) throws IOException {
            if (countsFile == null) {
                countsFile = scratch.create();
            }
            long start = countsFile.size();
            countsStarts.add(start);
            DataOutputStream out =
                    new DataOutputStream(
                            new BufferedOutputStream(new DiskOutput(countsFile, start), 1 << 16));
            full.drainTo(out);
            out.flush();
        }

        private void openCounts(List<DomainCounts.Reader> readers) throws IOException {
            if (countsInMemory != null) {
                readers.add(new DomainCounts.Reader(new ByteArrayInputStream(countsInMemory)));
            }
            for (long start : countsStarts) {
                DiskFile file = Objects.requireNonNull(countsFile);
                readers.add(new DomainCounts.Reader(new DiskInput(file, start, file.size())));
            }
        }

        private long temporaryBytes() {
            return onDisk == null ? 0 : onDisk.size();
        }

        private void addFiles(List<Closeable> files) {
            if (onDisk != null) {
                files.add(onDisk);
            }
            if (countsFile != null) {
                files.add(countsFile);
            }
        }
    }
}
