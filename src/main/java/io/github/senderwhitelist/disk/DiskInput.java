package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A stream of the bytes of a file up to an end that is fixed when the stream is made. */
public final class DiskInput extends InputStream {
    private final DiskFile file;
    private final boolean owned;
    private final long end;
    private long position;

    /**
     * Makes a stream of {@code file} in {@code [position, end)}. Closing the stream leaves the file
     * open.
     */
    public DiskInput(DiskFile file, long position, long end) {
        this(file, position, end, false);
    }

    private DiskInput(DiskFile file, long position, long end, boolean owned) {
        this.file = file;
        this.position = position;
        this.end = end;
        this.owned = owned;
    }

    /**
     * Opens a stream of a whole file. Bytes that are appended later are not read, so reading ends
     * even if the file never stops growing.
     */
    public static DiskInput open(Disk disk, Path path) throws IOException {
        DiskFile file = disk.open(path);
        try {
            return new DiskInput(file, 0, file.size(), true);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        int most = (int) Math.min(length, end - position);
        if (most <= 0) {
            return -1;
        }
        int count = file.read(ByteBuffer.wrap(bytes, from, most), position);
        position += Math.max(0, count);
        return count;
    }

    @Override
    public void close() throws IOException {
        if (owned) {
            file.close();
        }
    }
}
