package io.github.senderwhitelist.coding;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Run-length encoding of bytes: for each run of equal bytes the byte (u8) and the length of the run
 * (u8).
 */
final class Runs {
    private static final int MOST = 255;

    private Runs() {}

    /** Appends the runs of these bytes. */
    static void write(ByteArrayOutputStream out, byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            int end = at + 1;
            while (end < bytes.length && bytes[end] == bytes[at] && end - at < MOST) {
                end++;
            }
            out.write(bytes[at]);
            out.write(end - at);
            at = end;
        }
    }

    /**
     * Reads {@code count} bytes.
     *
     * @throws IOException if the runs have fewer bytes, or more
     */
    static byte[] read(ByteBuffer in, int count) throws IOException {
        byte[] bytes = new byte[count];
        int at = 0;
        while (at < count) {
            byte value = in.remaining() < 2 ? 0 : in.get();
            int times = in.hasRemaining() ? in.get() & 0xff : 0;
            if (times == 0 || times > count - at) {
                throw new IOException("runs do not have " + count + " bytes in all");
            }
            while (times-- > 0) {
                bytes[at++] = value;
            }
        }
        return bytes;
    }
}
