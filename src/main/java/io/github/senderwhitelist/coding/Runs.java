package io.github.senderwhitelist.coding;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes as runs of equal ones: for each run the byte (u8), and how often it comes (u8). */
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
     * Reads so many bytes.
     *
     * @throws IOException if the runs end before, or go beyond
     */
    static byte[] read(ByteBuffer in, int count) throws IOException {
        byte[] bytes = new byte[count];
        int at = 0;
        while (at < count) {
            byte value = in.remaining() < 2 ? 0 : in.get();
            int times = in.hasRemaining() ? in.get() & 0xff : 0;
            if (times == 0 || times > count - at) {
                throw new IOException("runs of " + count + " bytes make no sense");
            }
            while (times-- > 0) {
                bytes[at++] = value;
            }
        }
        return bytes;
    }
}
