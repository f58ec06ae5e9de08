package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Brings any number of entries into the order of keys in bounded memory: workers fill buffers, sort
 * them, and write them to temporary files as runs; then all runs are merged. A list that fits into
 * the buffers never touches the disk.
 */
public final class EntrySorter implements Closeable {
    private static final int LEAST_READ_BUFFER = 1 << 14;
    private static final int MOST_READ_BUFFER = 1 << 19;

    /** The share of the memory that counts domains. */
    private static final int COUNTS_SHARE = 8;

    private final Path folder;
    private final long memory;
    private final List<Worker> workers = new ArrayList<>();

    /**
     * A sorter.
     *
     * @param memory what buffers take, in bytes
     * @param workers how many threads add entries
     * @param folder an empty folder of its own for temporary files
     */
    public EntrySorter(long memory, int workers, Path folder) {
        this.folder = folder;
        this.memory = memory;
        for (int i = 0; i < workers; i++) {
            this.workers.add(new Worker(i, memory / workers));
        }
    }

    /** The workers; each is for one thread. */
    public List<Worker> workers() {
        return workers;
    }

    /** Bytes on disk now. */
    public long temporaryBytes() {
        return workers.stream().mapToLong(Worker::temporaryBytes).sum();
    }

    /** Entries added and not yet known to be duplicates. */
    public long entries() {
        return workers.stream().mapToLong(worker -> worker.entries).sum();
    }

    /** Entries known to be duplicates while runs were written. */
    public long duplicates() {
        return workers.stream().mapToLong(worker -> worker.duplicates).sum();
    }

    /** All entries in order, when all workers have finished; duplicates are still there. */
    public SortedEntries sorted() throws IOException {
        boolean onDisk = workers.stream().anyMatch(worker -> worker.runs != null);
        int runs = 0;
        for (Worker worker : workers) {
            if (onDisk) {
                worker.spill();
                worker.buffer = null;
            }
            runs += worker.runs == null ? 0 : worker.runs.runs();
        }
        int bufferSize =
                (int)
                        Math.clamp(
                                memory / 2 / Math.max(1, runs),
                                (long) LEAST_READ_BUFFER,
                                (long) MOST_READ_BUFFER);
        List<SortedEntries> rows = new ArrayList<>();
        for (Worker worker : workers) {
            worker.addRows(rows, bufferSize);
        }
        return new MergedEntries(rows);
    }

    /** At most that many domains, the commonest first; when all workers have finished. */
    public List<byte[]> commonDomains(long most) throws IOException {
        for (Worker worker : workers) {
            worker.drainCounts();
        }
        return new CommonDomains(
                        () -> {
                            List<DomainCounts.Reader> readers = new ArrayList<>();
                            for (Worker worker : workers) {
                                worker.openCounts(readers);
                            }
                            return readers;
                        })
                .choose(most);
    }

    @Override
    public void close() throws IOException {
        for (Worker worker : workers) {
            worker.close();
        }
    }

    /** Takes entries. For one thread. */
    public final class Worker {
        private final int number;
        private final DomainCounts counts;
        private @Nullable RunBuffer buffer;
        private @Nullable RunFile runs;
        private @Nullable FileChannel countsFile;
        private final List<Long> countsStarts = new ArrayList<>();
        private long entries;
        private long duplicates;

        private Worker(int number, long memory) {
            this.number = number;
            this.counts = new DomainCounts(memory / COUNTS_SHARE);
            this.buffer = new RunBuffer(memory - memory / COUNTS_SHARE);
        }

        /** Adds the entry with the sort key {@code bytes[from, from + length)}. */
        public void add(byte[] bytes, int from, int length, int flags) throws IOException {
            int domain = from + SortKey.localLength(bytes, from) + 1;
            if (!counts.add(bytes, domain, from + length)) {
                drainCounts();
                counts.add(bytes, domain, from + length);
            }
            RunBuffer target = Objects.requireNonNull(buffer, "the sorter is being read");
            if (!target.add(bytes, from, length, flags)) {
                spill();
                target.add(bytes, from, length, flags);
            }
            entries++;
        }

        private void spill() throws IOException {
            RunBuffer full = buffer;
            if (full == null || full.count() == 0) {
                return;
            }
            if (runs == null) {
                runs = new RunFile(folder.resolve("runs-" + number));
            }
            DistinctEntries distinct = new DistinctEntries(full.sorted());
            runs.write(distinct);
            duplicates += distinct.duplicates();
            entries -= distinct.duplicates();
            full.clear();
        }

        private void addRows(List<SortedEntries> rows, int bufferSize) {
            if (buffer != null && buffer.count() > 0) {
                rows.add(buffer.sorted());
            }
            for (int run = 0; runs != null && run < runs.runs(); run++) {
                rows.add(runs.read(run, bufferSize));
            }
        }

        private void drainCounts() throws IOException {
            if (counts.size() == 0) {
                return;
            }
            if (countsFile == null) {
                countsFile =
                        FileChannel.open(
                                folder.resolve("domains-" + number),
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.DELETE_ON_CLOSE);
            }
            countsStarts.add(countsFile.size());
            countsFile.position(countsFile.size());
            DataOutputStream out =
                    new DataOutputStream(
                            new BufferedOutputStream(
                                    Channels.newOutputStream(countsFile), 1 << 16));
            counts.drainTo(out);
            out.flush();
        }

        private void openCounts(List<DomainCounts.Reader> readers) throws IOException {
            for (long start : countsStarts) {
                InputStream in = new PositionedInput(Objects.requireNonNull(countsFile), start);
                readers.add(
                        new DomainCounts.Reader(
                                new DataInputStream(new BufferedInputStream(in, 1 << 13))));
            }
        }

        private long temporaryBytes() {
            return runs == null ? 0 : runs.size();
        }

        private void close() throws IOException {
            if (runs != null) {
                runs.close();
            }
            if (countsFile != null) {
                countsFile.close();
            }
        }
    }

    /** Reads a file from a position on without moving anybody else's. */
    private static final class PositionedInput extends InputStream {
        private final FileChannel channel;
        private long position;

        PositionedInput(FileChannel channel, long position) {
            this.channel = channel;
            this.position = position;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int count = channel.read(ByteBuffer.wrap(bytes, from, length), position);
            position += Math.max(0, count);
            return count;
        }
    }
}
