package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.ZipException;

/**
 * The reader of text lists, in bounded memory. A list is UTF-8 with one entry a line, LF or CRLF,
 * with or without a byte order mark, plain or gzip. Long lists are parsed by as many threads as
 * there are sinks.
 *
 * <p>Bad lines are counted and skipped, and the first few are reported with their numbers. When
 * {@linkplain #areTooMany too many} are bad, the list is refused.
 */
public final class TextList {
    private static final int CHUNKS_PER_PARSER = 4;

    /**
     * The number of chunks that the calling thread parses alone, since starting threads for a short
     * list takes longer.
     */
    private static final int CHUNKS_ALONE = 16;

    /** How many lines may be bad beside good ones. A few typos must not hold up the rest. */
    private static final int BAD_ALWAYS_SKIPPED = 3;

    private TextList() {}

    /**
     * Returns whether so many lines are bad that the list is refused, since it is probably none:
     * more than {@value #BAD_ALWAYS_SKIPPED} and more than 1 % of the lines with content, or all.
     */
    public static boolean areTooMany(long bad, long lines) {
        return bad > lines / 100 && (bad > BAD_ALWAYS_SKIPPED || bad == lines);
    }

    /** Takes the entries of a list one by one. Each sink is called by one thread at a time. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes the entry with the sort key {@code bytes[from, from + length)}. The array may be
         * reused after the call.
         *
         * @param rules the rules of the entry, encoded by {@link
         *     io.github.senderwhitelist.address.RulesCodec}
         */
        void accept(byte[] bytes, int from, int length, byte[] rules) throws IOException;
    }

    /**
     * The counts of a list that was read, and its first bad lines.
     *
     * @param lines the number of all lines
     * @param entries the number of lines with an entry, duplicates included
     * @param badLines the number of bad lines, which were skipped
     * @param complaints what is wrong with the first bad lines, each as {@code LIST:LINE: REASON}
     */
    public record Summary(long lines, long entries, long badLines, List<String> complaints) {}

    /**
     * Reads {@code in} to its end.
     *
     * @param name what messages call the list
     * @param sinks one for each thread that may parse; the calling thread uses the first alone,
     *     until the list turns out to be long
     * @throws ListRefusedException when the list is not text, is damaged, or has too many bad lines
     */
    public static Summary read(InputStream in, String name, List<? extends Sink> sinks)
            throws IOException {
        return read(in, name, sinks, CHUNKS_ALONE);
    }

    /** Reads {@code in} to its end, with {@code chunksAlone} in place of {@link #CHUNKS_ALONE}. */
    static Summary read(InputStream in, String name, List<? extends Sink> sinks, int chunksAlone)
            throws IOException {
        List<ChunkParser> parsers = new ArrayList<>();
        for (Sink sink : sinks) {
            parsers.add(new ChunkParser(name, sink));
        }
        try {
            parse(new ChunkReader(unpacked(in)), parsers, chunksAlone);
        } catch (EOFException | ZipException e) {
            throw new ListRefusedException(
                    name + ": damaged gzip data (" + e.getMessage() + "). The list is refused");
        }
        Summary summary = ChunkParser.summary(name, parsers);
        long said = summary.entries() + summary.badLines();
        if (areTooMany(summary.badLines(), said)) {
            throw ListRefusedException.mostlyBad(
                    name, summary.badLines(), said, summary.complaints());
        }
        return summary;
    }

    private static void parse(ChunkReader reader, List<ChunkParser> parsers, int chunksAlone)
            throws IOException {
        ListChunk chunk = new ListChunk();
        for (int chunks = 0; parsers.size() == 1 || chunks < chunksAlone; chunks++) {
            if (!reader.next(chunk)) {
                return;
            }
            parsers.getFirst().parse(chunk);
        }
        new Team(parsers).read(reader);
    }

    /** Returns the number of the first line with this entry, from 1, or 0 if there is none. */
    public static long lineOf(InputStream in, Entry entry) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(unpacked(in), UTF_8));
        long number = 1;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (ListLine.parse(line) instanceof ListLine.Good(Entry found) && found.equals(entry)) {
                return number;
            }
            number++;
        }
        return 0;
    }

    /** Returns the text in {@code in}, unpacked if it is gzip. */
    public static InputStream unpacked(InputStream in) throws IOException {
        InputStream buffered = new BufferedInputStream(in, 1 << 16);
        buffered.mark(2);
        byte[] start = buffered.readNBytes(2);
        buffered.reset();
        return isPacked(start) ? GzipMembers.open(buffered) : buffered;
    }

    /** Returns whether a list with this beginning is gzip. */
    public static boolean isPacked(byte[] start) {
        return start.length >= 2 && start[0] == 0x1f && start[1] == (byte) 0x8b;
    }

    /** Threads that parse the chunks which the calling thread reads. */
    private static final class Team {
        private final List<ChunkParser> parsers;
        private final BlockingQueue<ListChunk> idle;
        private final BlockingQueue<ListChunk> full;
        private final ListChunk last = new ListChunk();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Team(List<ChunkParser> parsers) {
            this.parsers = parsers;
            int chunks = CHUNKS_PER_PARSER * parsers.size();
            this.idle = new ArrayBlockingQueue<>(chunks + parsers.size());
            this.full = new ArrayBlockingQueue<>(chunks + parsers.size());
            for (int i = 0; i < chunks; i++) {
                idle.add(new ListChunk());
            }
        }

        void read(ChunkReader reader) throws IOException {
            List<Thread> threads = new ArrayList<>();
            try {
                for (ChunkParser parser : parsers) {
                    Thread thread = new Thread(() -> work(parser), "whitelist parser");
                    thread.setDaemon(true);
                    thread.start();
                    threads.add(thread);
                }
                for (ListChunk chunk = idle.take(); reader.next(chunk); chunk = idle.take()) {
                    if (failure.get() != null) {
                        break;
                    }
                    full.put(chunk);
                }
            } catch (InterruptedException e) {
                failure.compareAndSet(null, new InterruptedIOException("interrupted"));
                Thread.currentThread().interrupt();
            } finally {
                finish(threads);
            }
            rethrow(failure.get());
        }

        private void work(ChunkParser parser) {
            try {
                for (ListChunk chunk = full.take(); chunk != last; chunk = full.take()) {
                    if (failure.get() == null) {
                        parser.parse(chunk);
                    }
                    idle.add(chunk);
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
                drain();
            }
        }

        /**
         * Keeps emptying the queue without parsing, so that the reading thread never waits for a
         * parser that has failed.
         */
        private void drain() {
            try {
                for (ListChunk chunk = full.take(); chunk != last; chunk = full.take()) {
                    idle.add(chunk);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /**
         * Waits until all parsers have ended. An interruption meanwhile makes them end early, but
         * they are still waited for.
         */
        private void finish(List<Thread> threads) {
            for (int i = 0; i < threads.size(); i++) {
                full.add(last);
            }
            boolean interrupted = Thread.interrupted();
            for (Thread thread : threads) {
                while (thread.isAlive()) {
                    try {
                        thread.join();
                    } catch (InterruptedException e) {
                        interrupted = true;
                        failure.compareAndSet(null, new InterruptedIOException("interrupted"));
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private static void rethrow(@Nullable Throwable failure) throws IOException {
            switch (failure) {
                case null -> {}
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new IllegalStateException(failure);
            }
        }
    }
}
