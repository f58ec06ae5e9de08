package io.github.senderwhitelist.list;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts a stream into chunks of whole lines. A line that is longer than a chunk is cut off at the
 * length of the chunk, so memory stays bounded. Such a line is longer than any valid one.
 */
final class ChunkReader {
    private static final int END = -1;

    private final InputStream in;
    private final byte[] rest = new byte[ListChunk.SIZE];
    private int restLength;
    private int chunks;
    private long offset;

    ChunkReader(InputStream in) {
        this.in = in;
    }

    /** Fills a chunk. Returns false at the end of the stream. */
    boolean next(ListChunk chunk) throws IOException {
        System.arraycopy(rest, 0, chunk.bytes, 0, restLength);
        int length = restLength;
        restLength = 0;
        boolean ended = false;
        while (length < chunk.bytes.length && !ended) {
            int count = in.read(chunk.bytes, length, chunk.bytes.length - length);
            ended = count == END;
            length += Math.max(0, count);
        }
        chunk.number = chunks++;
        chunk.offset = offset;
        chunk.length = ended ? length : wholeLines(chunk.bytes, length);
        offset += chunk.length;
        return length > 0;
    }

    /**
     * Returns the length of the whole lines in a full chunk, and keeps the rest for the next chunk.
     */
    private int wholeLines(byte[] bytes, int length) throws IOException {
        int end = length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        if (end == 0) {
            skipLine();
            return length;
        }
        restLength = length - end;
        System.arraycopy(bytes, end, rest, 0, restLength);
        return end;
    }

    /** Skips the rest of a line that is longer than a chunk. */
    private void skipLine() throws IOException {
        while (true) {
            int count = in.read(rest, 0, rest.length);
            if (count == END) {
                return;
            }
            for (int i = 0; i < count; i++) {
                if (rest[i] == '\n') {
                    offset += i + 1L;
                    restLength = count - i - 1;
                    System.arraycopy(rest, i + 1, rest, 0, restLength);
                    return;
                }
            }
            offset += count;
        }
    }
}
