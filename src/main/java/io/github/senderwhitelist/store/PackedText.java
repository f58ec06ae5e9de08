package io.github.senderwhitelist.store;

/**
 * Text packed into six bits a character, for the 64 characters that canonical local parts are
 * mostly made of. Character i takes the six bits from bit 6i on; bits count from the lowest bit of
 * the first byte.
 */
final class PackedText {
    private static final String CHARACTERS =
            "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-/=?^_`{|}~.\" \\,:;()";
    private static final int BITS = 6;
    private static final byte UNKNOWN = -1;
    private static final byte[] CODES = new byte[256];
    private static final byte[] BYTES = new byte[1 << BITS];

    static {
        java.util.Arrays.fill(CODES, UNKNOWN);
        for (int code = 0; code < CHARACTERS.length(); code++) {
            CODES[CHARACTERS.charAt(code)] = (byte) code;
            BYTES[code] = (byte) CHARACTERS.charAt(code);
        }
    }

    private PackedText() {}

    /** Returns the bytes that so many characters take. */
    static int length(int characters) {
        return (characters * BITS + 7) >> 3;
    }

    /** Returns whether {@code text[from, to)} is made of these characters. */
    static boolean isPackable(byte[] text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (CODES[text[i] & 0xff] == UNKNOWN) {
                return false;
            }
        }
        return true;
    }

    /**
     * Packs {@code text[from, to)} into {@code packed}, whose bytes from {@code at} on must be 0.
     */
    static void pack(byte[] text, int from, int to, byte[] packed, int at) {
        int bit = 0;
        for (int i = from; i < to; i++) {
            int code = CODES[text[i] & 0xff] << (bit & 7);
            packed[at + (bit >> 3)] |= (byte) code;
            if ((bit & 7) > 2) {
                packed[at + (bit >> 3) + 1] = (byte) (code >>> 8);
            }
            bit += BITS;
        }
    }

    /** Returns the first character of the text packed from {@code at} on, which is not empty. */
    static int first(byte[] packed, int at) {
        return BYTES[packed[at] & 63];
    }

    /** Returns character {@code i} of the text packed from {@code at} on; a byte must follow it. */
    static byte get(byte[] packed, int at, int i) {
        int bit = BITS * i;
        int index = at + (bit >> 3);
        int two = (packed[index] & 0xff) | (packed[index + 1] & 0xff) << 8;
        return BYTES[two >>> (bit & 7) & 63];
    }
}
