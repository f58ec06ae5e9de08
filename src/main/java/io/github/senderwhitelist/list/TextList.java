package io.github.senderwhitelist.list;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.ZipException;

/**
 * Reads a text list (UTF-8, one entry a line, LF or CRLF, with or without a byte order mark, plain
 * or gzip) in bounded memory, a long one with as many threads as there are sinks. A bad line is
 * counted, the first few are kept with their numbers, and it is skipped; when more than one in a
 * hundred lines that say something is bad, the list is refused.
 */
public final class TextList {
    private static final int CHUNKS_PER_PARSER = 4;

    /** So many chunks are parsed before several threads would have begun. */
    private static final int CHUNKS_ALONE = 16;

    private TextList() {}

    /** Takes the entries of a list one by one, from one thread. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes the entry with the sort key {@code bytes[from, from + length)}, which is not to be
         * kept.
         *
         * @param rules what it says, as {@link io.github.senderwhitelist.address.RulesCodec} has it
         */
        void accept(byte[] bytes, int from, int length, byte[] rules) throws IOException;
    }

    /**
     * What a list held.
     *
     * @param lines all lines
     * @param entries lines that are entries, duplicates included
     * @param badLines lines that were skipped
     * @param complaints the first of them, each with its number and reason
     */
    public record Summary(long lines, long entries, long badLines, List<String> complaints) {}

    /**
     * Reads {@code in} to its end.
     *
     * @param name what messages call the list
     * @param sinks one for each thread that may parse; the calling thread begins with the first,
     *     and others join when the list is long
     * @throws ListRefusedException when it is not text, or too much of it is bad
     */
    public static Summary read(InputStream in, String name, List<? extends Sink> sinks)
            throws IOException {
        return read(in, name, sinks, CHUNKS_ALONE);
    }

    /** The same, with other threads joining after so many chunks. */
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
        Summary summary = ChunkParser.summary(parsers);
        long said = summary.entries() + summary.badLines();
        if (summary.badLines() > said / 100) {
            throw new ListRefusedException(
                    name
                            + ": "
                            + summary.badLines()
                            + " of "
                            + said
                            + " entries are bad; a list with more than 1 % bad lines is refused. "
                            + String.join("; ", summary.complaints()));
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

    /** Returns the text in {@code in}, which may be gzip. */
    public static InputStream unpacked(InputStream in) throws IOException {
        InputStream buffered = new BufferedInputStream(in, 1 << 16);
        buffered.mark(2);
        byte[] start = buffered.readNBytes(2);
        buffered.reset();
        return isPacked(start) ? new GzipMembers(buffered) : buffered;
    }

    /** Returns whether a list that begins with these bytes is gzip. */
    public static boolean isPacked(byte[] start) {
        return GzipMembers.isPacked(start);
    }

    /** Parsers at work side by side on chunks that the calling thread reads. */
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
            for (ChunkParser parser : parsers) {
                Thread thread = new Thread(() -> work(parser), "whitelist parser");
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            try {
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

        /** Goes on emptying the queue, so that the reader is not kept waiting. */
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
         * Waits for the parsers; an interruption meanwhile makes them stop early, not be left
         * behind.
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
