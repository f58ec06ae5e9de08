package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Writes a file from a position on. Closing it leaves the file open. */
public final class DiskOutput extends OutputStream {
    private final DiskFile file;
    private long position;

    /** Writes {@code file} from {@code position} on. */
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

    /** Returns where the next byte goes. */
    public long position() {
        return position;
    }
}
