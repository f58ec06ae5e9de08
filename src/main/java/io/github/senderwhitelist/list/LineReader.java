package io.github.senderwhitelist.list;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts a stream into lines, each a view of one buffer, so memory stays bounded. Of a line that is
 * longer than the buffer some bytes are dropped, but more than {@link ListLine#MAX_BYTES} are left.
 */
final class LineReader {
    /** The size of the buffer in bytes, which the processor's cache holds. */
    static final int SIZE = 1 << 16;

    private static final int MAX_KEPT = ListLine.MAX_BYTES + 1;

    /** The line is {@code bytes[start, end)}, without its line end, until the next one is read. */
    final byte[] bytes = new byte[SIZE];

    int start;
    int end;

    private final InputStream in;
    private int next;
    private int filled;

    LineReader(InputStream in) {
        this.in = in;
    }

    /** Goes to the next line. Returns false at the end of the stream. */
    boolean next() throws IOException {
        start = next;
        end = next;
        while (true) {
            while (end < filled && bytes[end] != '\n') {
                end++;
            }
            if (end < filled) {
                next = end + 1;
                return true;
            }
            makeRoom();
            int count = in.read(bytes, filled, SIZE - filled);
            if (count < 0) {
                next = filled;
                return start < end;
            }
            filled += count;
        }
    }

    /** Makes room behind the part of the line that was read. */
    private void makeRoom() {
        if (start > 0) {
            System.arraycopy(bytes, start, bytes, 0, filled - start);
            filled -= start;
            start = 0;
        } else if (filled == SIZE) {
            filled = MAX_KEPT;
        }
        end = filled;
    }
}
