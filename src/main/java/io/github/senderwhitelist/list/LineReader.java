package io.github.senderwhitelist.list;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts a stream into lines ended by LF, in memory bounded by the longest line allowed: of a longer
 * line only the length is told.
 */
final class LineReader {
    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private final byte[] line;
    private int position;
    private int limit;
    private int length;
    private long overlong;

    LineReader(InputStream in, int maxLength) {
        this.in = in;
        this.line = new byte[maxLength];
    }

    /** Reads the next line; false at the end of the stream. */
    boolean next() throws IOException {
        length = 0;
        overlong = 0;
        boolean any = false;
        while (true) {
            if (position == limit) {
                limit = in.read(buffer);
                position = 0;
                if (limit <= 0) {
                    limit = 0;
                    return any;
                }
            }
            any = true;
            int start = position;
            while (position < limit && buffer[position] != '\n') {
                position++;
            }
            append(start, position - start);
            if (position < limit) {
                position++;
                return true;
            }
        }
    }

    private void append(int start, int count) {
        if (overlong > 0 || length + count > line.length) {
            overlong = (overlong > 0 ? overlong : length) + count;
        } else {
            System.arraycopy(buffer, start, line, length, count);
            length += count;
        }
    }

    /** The bytes of the line, valid to {@link #length()} and until the next call. */
    byte[] line() {
        return line;
    }

    /** The length of the line in bytes, without its LF. */
    int length() {
        return length;
    }

    /** The length of a line too long to keep, else 0. */
    long overlong() {
        return overlong;
    }
}
