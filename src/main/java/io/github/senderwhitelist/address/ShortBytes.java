package io.github.senderwhitelist.address;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Copies short keys in steps of eight bytes. Most keys have ten to twenty bytes, and copying a few
 * bytes too many costs less than a branch on the exact length.
 */
public final class ShortBytes {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** How many bytes are copied at once, if both arrays have as many. */
    private static final int MOST = 32;

    private ShortBytes() {}

    /**
     * Copies {@code bytes[from, from + length)} to {@code to[at, at + length)}, in another array.
     * What follows may change, too, up to {@code to[at + 32)}.
     */
    public static void copy(byte[] bytes, int from, byte[] to, int at, int length) {
        if (length > MOST || from + MOST > bytes.length || at + MOST > to.length) {
            System.arraycopy(bytes, from, to, at, length);
            return;
        }
        move(bytes, from, to, at);
        move(bytes, from + Long.BYTES, to, at + Long.BYTES);
        if (length > 2 * Long.BYTES) {
            move(bytes, from + 2 * Long.BYTES, to, at + 2 * Long.BYTES);
            move(bytes, from + 3 * Long.BYTES, to, at + 3 * Long.BYTES);
        }
    }

    private static void move(byte[] bytes, int from, byte[] to, int at) {
        LONGS.set(to, at, (long) LONGS.get(bytes, from));
    }
}
