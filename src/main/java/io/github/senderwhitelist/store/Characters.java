package io.github.senderwhitelist.store;

import io.github.senderwhitelist.coding.BitReader;
import io.github.senderwhitelist.coding.ContextCode;

/**
 * Characters of a local part or a domain, each coded given the one before, the class of that before
 * it, and its position; {@link Symbols#END} ends them.
 */
final class Characters {
    private Characters() {}

    /**
     * Writes the characters of {@code text[from, to)} from a position on, and the end. Returns
     * false if a byte is no symbol, or has no code; some may be written then.
     */
    static boolean write(FieldSink sink, Field field, byte[] text, int from, int to, int position) {
        int before = position < 1 ? Symbols.END : Symbols.floor(text[from + position - 1]);
        int classBefore =
                position < 2 ? 0 : Symbols.classOf(Symbols.floor(text[from + position - 2]));
        for (int i = position; i <= to - from; i++) {
            boolean isEnd = i == to - from;
            if (!isEnd && !Symbols.isSymbol(text[from + i])) {
                return false;
            }
            int symbol = isEnd ? Symbols.END : Symbols.floor(text[from + i]);
            if (!sink.symbol(field, Field.nextContext(before, classBefore, i), symbol)) {
                return false;
            }
            classBefore = Symbols.classOf(before);
            before = symbol;
        }
        return true;
    }

    /** Reads characters into {@code text} from a position on, and returns where the end is. */
    static int read(BitReader in, ContextCode code, byte[] text, int position) {
        int before = Symbols.before(text, position);
        int classBefore = position < 2 ? 0 : Symbols.classOf(Symbols.floor(text[position - 2]));
        int at = position;
        long next = in.peek();
        int taken = 0;
        while (true) {
            if (taken > BitReader.PEEKED - ContextCode.LONGEST) {
                in.skip(taken);
                next = in.peek();
                taken = 0;
            }
            int coded = code.coded(next, Field.nextContext(before, classBefore, at));
            next >>>= ContextCode.bits(coded);
            taken += ContextCode.bits(coded);
            int symbol = ContextCode.symbol(coded);
            if (symbol == Symbols.END) {
                in.skip(taken);
                return at;
            }
            text[at++] = Symbols.toByte(symbol);
            classBefore = Symbols.classOf(before);
            before = symbol;
        }
    }
}
