package io.github.senderwhitelist.store;

/**
 * The alphabet of local parts: their usual characters, as numbers in the order of their bytes. 0
 * stands for the end of a local part. A local part with other bytes is written byte by byte.
 */
final class Symbols {
    /** The end of a local part; before the first character, its beginning. */
    static final int END = 0;

    /** The number of symbols, the end included. */
    static final int COUNT = 63;

    /** The number of classes of characters. */
    static final int CLASSES = 5;

    private static final String CHARACTERS =
            " !\"#$%&'*+,-./0123456789:;=?\\^_`abcdefghijklmnopqrstuvwxyz{|}~";
    private static final String VOWELS = "aeiouy";

    private static final byte[] BYTES = new byte[COUNT];
    private static final byte[] CLASS = new byte[COUNT];

    /** For each byte the symbol of the greatest character that is not greater. */
    private static final byte[] FLOOR = new byte[256];

    static {
        for (int i = 0; i < CHARACTERS.length(); i++) {
            char c = CHARACTERS.charAt(i);
            BYTES[i + 1] = (byte) c;
            CLASS[i + 1] = (byte) classOf(c);
        }
        for (int b = 1, symbol = 0; b < FLOOR.length; b++) {
            if (symbol + 1 < COUNT && BYTES[symbol + 1] == (byte) b) {
                symbol++;
            }
            FLOOR[b] = (byte) symbol;
        }
    }

    private Symbols() {}

    private static int classOf(char c) {
        if (c >= '0' && c <= '9') {
            return 1;
        }
        if (c >= 'a' && c <= 'z') {
            return VOWELS.indexOf(c) >= 0 ? 2 : 3;
        }
        return 4;
    }

    /** Returns the byte of a symbol; 0 for the end. */
    static byte toByte(int symbol) {
        return BYTES[symbol];
    }

    /** Returns the symbol of the greatest character that is not greater than this byte. */
    static int floor(byte b) {
        return FLOOR[b & 0xff];
    }

    /** Returns the symbol of the byte before a place; the end at the beginning. */
    static int before(byte[] text, int at) {
        return at < 1 ? END : floor(text[at - 1]);
    }

    /** Returns whether a byte is one of the characters, or 0. */
    static boolean isSymbol(byte b) {
        return BYTES[floor(b)] == b;
    }

    /** Returns the class of a symbol: beginning, digit, vowel, consonant, other. */
    static int classOf(int symbol) {
        return CLASS[symbol];
    }
}
