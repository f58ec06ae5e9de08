package io.github.senderwhitelist.store;

import io.github.senderwhitelist.coding.BitReader;
import io.github.senderwhitelist.coding.BitWriter;
import io.github.senderwhitelist.coding.ContextCode;

/**
 * The head of a sort key after the prefix of its block: the first {@value #BITS} bits of its
 * symbols, each coded by {@link Field#HEAD} given the one before. Because these codes have the
 * order of the symbols, heads have the order of sort keys; different keys can have the same head.
 *
 * <p>The bits of a symbol that the head cuts off are written in the entry. So a head costs nothing:
 * it only moves some bits of the entry to a table that can be searched.
 */
final class Head {
    static final int BITS = 26;

    private final ContextCode code;

    Head(EntryCodes codes) {
        this.code = codes.of(Field.HEAD);
    }

    /**
     * Returns the head of a sort key {@code key[0, length)} after its first {@code from} bytes, as
     * a number.
     */
    int of(byte[] key, int from, int length) {
        long bits = 0;
        int count = 0;
        int before = Symbols.before(key, from);
        for (int at = from; count < BITS; at++) {
            byte b = at < length ? key[at] : 0;
            int symbol = Symbols.floor(b);
            int coded = code.code(before, symbol);
            bits |= (long) ContextCode.codeBits(coded) << count;
            count += ContextCode.bits(coded);
            if (!Symbols.isSymbol(b)) {
                // It is after all keys with the symbol below it there, or has the head of the last.
                bits |= -1L << count;
                count = BITS;
            }
            before = symbol;
        }
        return Integer.reverse((int) bits) >>> (Integer.SIZE - BITS);
    }

    /**
     * Writes the bits that the head of a sender's local part {@code key[0, local)} cuts off its
     * last symbol. Returns the number of symbols known then, with the end; negative if a byte is no
     * symbol.
     */
    int writeRest(BitWriter out, byte[] key, int from, int local) {
        int taken = 0;
        int before = Symbols.before(key, from);
        int at = from;
        for (; at <= local && taken < BITS; at++) {
            int symbol = at < local ? Symbols.floor(key[at]) : Symbols.END;
            if (at < local && !Symbols.isSymbol(key[at])) {
                return -1;
            }
            int coded = code.code(before, symbol);
            taken += ContextCode.bits(coded);
            if (taken > BITS) {
                int rest = taken - BITS;
                out.put(ContextCode.codeBits(coded) >>> (ContextCode.bits(coded) - rest), rest);
            }
            before = symbol;
        }
        return at;
    }

    /**
     * Reads the symbols of a head into {@code text[from, …)}, and the bits that it cuts off the
     * last one. Returns the number of symbols known then; the last one is 0 if the local part ends
     * there.
     */
    int read(BitReader in, int head, byte[] text, int from) {
        long inHead = Integer.toUnsignedLong(Integer.reverse(head) >>> (Integer.SIZE - BITS));
        long next = inHead | (in.peek() << BITS);
        int taken = 0;
        int before = Symbols.before(text, from);
        int at = from;
        while (taken < BITS) {
            int coded = code.coded(next, before);
            next >>>= ContextCode.bits(coded);
            taken += ContextCode.bits(coded);
            before = ContextCode.symbol(coded);
            text[at++] = Symbols.toByte(before);
            if (before == Symbols.END) {
                break;
            }
        }
        in.skip(Math.max(0, taken - BITS));
        return at;
    }
}
