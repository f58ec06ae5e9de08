package io.github.senderwhitelist.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Bytes in the format of zlib (RFC 1950), after their length (u32).
 *
 * <p>They are at most {@value #ALWAYS_ALLOWED} bytes more than {@value #MOST_RATIO} times as many
 * as they take. So a reader allocates no more than the length of the serial form allows.
 */
final class Deflated {
    private static final int MOST_RATIO = 64;
    private static final int ALWAYS_ALLOWED = 1 << 20;
    private static final int PIECE = 1 << 16;

    private Deflated() {}

    /** Returns the serial form of bytes. */
    static byte[] of(byte[] plain) {
        byte[] deflated = deflate(plain, Deflater.DEFAULT_COMPRESSION);
        if (plain.length > most(deflated.length)) {
            deflated = deflate(plain, Deflater.NO_COMPRESSION);
        }
        return ByteBuffer.allocate(Integer.BYTES + deflated.length)
                .order(Serial.ORDER)
                .putInt(plain.length)
                .put(deflated)
                .array();
    }

    private static long most(int deflated) {
        return ALWAYS_ALLOWED + (long) MOST_RATIO * deflated;
    }

    private static byte[] deflate(byte[] plain, int level) {
        Deflater deflater = new Deflater(level);
        try {
            deflater.setInput(plain);
            deflater.finish();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] piece = new byte[PIECE];
            while (!deflater.finished()) {
                out.write(piece, 0, deflater.deflate(piece));
            }
            return out.toByteArray();
        } finally {
            deflater.end();
        }
    }

    /**
     * Reads the serial form, which is all of a buffer.
     *
     * @throws IOException if it makes no sense
     */
    static ByteBuffer read(ByteBuffer serial) throws IOException {
        long length = serial.remaining() < Integer.BYTES ? -1 : serial.getInt();
        if (length < 0 || length > most(serial.remaining())) {
            throw new IOException(length + " bytes deflated to " + serial.remaining());
        }
        byte[] plain = new byte[(int) length];
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(serial);
            int at = 0;
            while (at < plain.length) {
                int count = inflater.inflate(plain, at, plain.length - at);
                if (count == 0) {
                    throw new IOException("deflated bytes end after " + at + " of " + length);
                }
                at += count;
            }
            if (inflater.inflate(new byte[1]) > 0 || !inflater.finished()) {
                throw new IOException("more than " + length + " bytes were deflated");
            }
            return ByteBuffer.wrap(plain).order(Serial.ORDER);
        } catch (DataFormatException e) {
            throw new IOException("bytes that were not deflated", e);
        } finally {
            inflater.end();
        }
    }
}
