package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The addresses 0 to n - 1 in the order of their bytes, in a file of lines. Making it takes memory
 * for the addresses that begin with the same letter.
 */
final class SortedAddresses implements Iterable<byte[]> {
    private static final int BUFFER = 1 << 18;

    private final Path file;
    private final int count;

    private SortedAddresses(Path file, int count) {
        this.file = file;
        this.count = count;
    }

    /** Writes the addresses into a file of an existing folder. */
    static SortedAddresses make(int count, Path folder) throws IOException {
        SortedMap<Byte, Path> parts = parts(count, folder);
        Path file = folder.resolve("sorted.txt");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER)) {
            for (Path part : parts.values()) {
                List<byte[]> all = new ArrayList<>();
                try (Lines lines = new Lines(part)) {
                    lines.forEachRemaining(all::add);
                }
                Files.delete(part);
                byte[][] sorted = all.toArray(byte[][]::new);
                Arrays.parallelSort(sorted, Arrays::compareUnsigned);
                for (byte[] line : sorted) {
                    out.write(line);
                    out.write('\n');
                }
            }
        }
        return new SortedAddresses(file, count);
    }

    /** Writes the addresses into a file for each first byte. */
    private static SortedMap<Byte, Path> parts(int count, Path folder) throws IOException {
        NumberedAddresses generator = BenchOptions.generator();
        SortedMap<Byte, Path> parts = new TreeMap<>();
        OutputStream[] outs = new OutputStream[Byte.MAX_VALUE];
        for (int i = 0; i < count; i++) {
            generator.fill(i);
            byte first = generator.bytes()[0];
            if (outs[first] == null) {
                Path part = folder.resolve("part" + first);
                parts.put(first, part);
                outs[first] = new BufferedOutputStream(Files.newOutputStream(part), BUFFER);
            }
            generator.bytes()[generator.length()] = '\n';
            outs[first].write(generator.bytes(), 0, generator.length() + 1);
        }
        for (byte first : parts.keySet()) {
            outs[first].close();
        }
        return parts;
    }

    int count() {
        return count;
    }

    /** Returns the file, in which each address ends with a line feed. */
    Path file() {
        return file;
    }

    @Override
    public Iterator<byte[]> iterator() {
        try {
            return new Lines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lines of a file, which is closed after the last one. */
    private static final class Lines implements Iterator<byte[]>, AutoCloseable {
        private final InputStream in;
        private final byte[] line = new byte[NumberedAddresses.MAX_LENGTH];
        private int next;

        Lines(Path file) throws IOException {
            in = new BufferedInputStream(Files.newInputStream(file), BUFFER);
            next = in.read();
        }

        @Override
        public boolean hasNext() {
            return next >= 0;
        }

        @Override
        public byte[] next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            try {
                int length = 0;
                while (next != '\n') {
                    line[length++] = (byte) next;
                    next = in.read();
                }
                next = in.read();
                if (next < 0) {
                    close();
                }
                return Arrays.copyOf(line, length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
