package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** A stream that writes to a file from a position on. Closing it leaves the file open. */
public final class DiskOutput extends OutputStream {
    private final DiskFile file;
    private long position;

    /** Makes a stream that begins at this position. */
    public DiskOutput(DiskFile file, long position) {
        this.file = file;
        this.position = position;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        file.writeFully(ByteBuffer.wrap(bytes, from, length), position);
        position += length;
    }

    /** Returns the position of the next byte. */
    public long position() {
        return position;
    }
}
