package io.github.senderwhitelist.coding;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A prefix code for symbols whose frequencies depend on a context. Contexts with similar
 * frequencies share a table. Codes have at most {@value #LONGEST} bits. Within a table they are
 * assigned from 0 on, shorter ones first, and within a length by symbol (canonical Huffman codes);
 * or, if the code keeps the order of symbols, by symbol only, and then each symbol has a code. The
 * highest bit of a code is written first.
 *
 * <p>Serial form: number of tables (u8); for each context its table (u8); for each table and symbol
 * the length of its code (u8), 0 if it has none. A table with one symbol has {@value #ALONE} for
 * it; its code has no bits. Tables and lengths are written as {@link Runs}.
 */
public final class ContextCode {
    /** The longest code, in bits. */
    public static final int LONGEST = 8;

    static final int ALONE = 255;

    /** The most tables of a code. */
    public static final int MOST_TABLES = 64;

    private static final int LENGTH_BITS = 4;
    private static final int MASK = (1 << LONGEST) - 1;

    private final int symbols;
    private final byte[] tableOf;
    private final byte[] lengths;

    /**
     * For each table symbol and length of the code that the next {@value #LONGEST} bits begin with.
     */
    private final short[] decoding;

    /** Code and length of each symbol of each table; 0 if it has none. */
    private final int[] encoding;

    /**
     * Creates a code.
     *
     * @param symbols the number of symbols
     * @param tableOf the table of each context
     * @param lengths the lengths of the codes, table after table
     * @param inOrder whether the codes of a table are to be in the order of the symbols
     * @throws IOException if the lengths of a table are not those of a complete code
     */
    ContextCode(int symbols, byte[] tableOf, byte[] lengths, boolean inOrder) throws IOException {
        this.symbols = symbols;
        this.tableOf = tableOf;
        this.lengths = lengths;
        this.encoding = new int[lengths.length];
        int count = lengths.length / symbols;
        this.decoding = new short[count << LONGEST];
        for (int table = 0; table < count; table++) {
            requireComplete(table, inOrder);
            fill(table, inOrder);
        }
    }

    /** Requires the lengths of a table to be those of a complete code. */
    private void requireComplete(int table, boolean inOrder) throws IOException {
        long space = 0;
        for (int symbol = 0; symbol < symbols; symbol++) {
            int length = lengths[table * symbols + symbol] & 0xff;
            if (length > LONGEST && (inOrder || length != ALONE)) {
                throw new IOException("a code of " + length + " bits");
            }
            if (inOrder && (length == 0 || space % (1L << (LONGEST - length)) != 0)) {
                throw new IOException("table " + table + " of a prefix code is not in order");
            }
            space += length == 0 ? 0 : 1L << (length == ALONE ? LONGEST : LONGEST - length);
        }
        if (space != 1L << LONGEST) {
            throw new IOException("table " + table + " of a prefix code is not complete");
        }
    }

    /** Assigns the codes of a table. */
    private void fill(int table, boolean inOrder) {
        int given = 0;
        for (int turn = 0; turn <= (inOrder ? 0 : LONGEST); turn++) {
            for (int symbol = 0; symbol < symbols; symbol++) {
                int own = lengths[table * symbols + symbol] & 0xff;
                int length = own == ALONE ? 0 : own;
                if (own != 0 && (inOrder || length == turn)) {
                    given += give(table, symbol, given, length);
                }
            }
        }
    }

    /**
     * Assigns a symbol the code with which the number {@code given} of {@value #LONGEST} bits
     * begins, and returns how many such numbers begin with it.
     */
    private int give(int table, int symbol, int given, int length) {
        int reversed = Integer.reverse(given) >>> (Integer.SIZE - LONGEST);
        encoding[table * symbols + symbol] = 1 << 31 | reversed << LENGTH_BITS | length;
        for (int next = reversed; next <= MASK; next += 1 << length) {
            decoding[table << LONGEST | next] = (short) (symbol << LENGTH_BITS | length);
        }
        return 1 << (LONGEST - length);
    }

    /**
     * Reads the serial form of a code.
     *
     * @param inOrder whether the code keeps the order of symbols
     * @throws IOException if it is not the serial form of such a code
     */
    public static ContextCode read(ByteBuffer serial, int contexts, int symbols, boolean inOrder)
            throws IOException {
        int count = serial.hasRemaining() ? serial.get() & 0xff : 0;
        if (count == 0 || count > MOST_TABLES) {
            throw new IOException("a prefix code of " + count + " tables");
        }
        byte[] tableOf = Runs.read(serial, contexts);
        for (byte table : tableOf) {
            if ((table & 0xff) >= count) {
                throw new IOException("table " + (table & 0xff) + " of " + count);
            }
        }
        byte[] lengths = Runs.read(serial, count * symbols);
        return new ContextCode(symbols, tableOf, lengths, inOrder);
    }

    /** Appends the serial form. */
    public void write(ByteArrayOutputStream serial) {
        serial.write(lengths.length / symbols);
        Runs.write(serial, tableOf);
        Runs.write(serial, lengths);
    }

    /** Reads a symbol. */
    public int read(BitReader in, int context) {
        int coded = coded(in.peek(), context);
        in.skip(bits(coded));
        return symbol(coded);
    }

    /** Returns the symbol that these bits begin with, and the bits of its code. */
    public int coded(long next, int context) {
        return decoding[(tableOf[context] & 0xff) << LONGEST | ((int) next & MASK)];
    }

    /** Returns the number of bits of a coded symbol, or of a code. */
    public static int bits(int coded) {
        return coded & ((1 << LENGTH_BITS) - 1);
    }

    /** Returns the symbol of a coded one. */
    public static int symbol(int coded) {
        return coded >>> LENGTH_BITS;
    }

    /** Writes a symbol; returns false, and writes nothing, if it has no code in that context. */
    public boolean write(BitWriter out, int context, int symbol) {
        int code = code(context, symbol);
        out.put(codeBits(code), bits(code));
        return code != 0;
    }

    /** Returns the code of a symbol, for {@link #bits} and {@link #codeBits}; 0 if it has none. */
    public int code(int context, int symbol) {
        return encoding[(tableOf[context] & 0xff) * symbols + symbol];
    }

    /** Returns the bits of a code, the first one lowest. */
    public static int codeBits(int code) {
        return (code & ~(1 << 31)) >>> LENGTH_BITS;
    }

    /** Returns the memory that the tables take, in bytes. */
    public long memory() {
        return tableOf.length + 2L * decoding.length + 5L * encoding.length;
    }
}
