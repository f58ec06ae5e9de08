package io.github.senderwhitelist.store;

import io.github.senderwhitelist.coding.BitWriter;

/** Writes fields by the codes of a store. */
final class FieldBits implements FieldSink {
    private static final int BYTE = 8;

    private final EntryCodes codes;
    private final BitWriter out;

    FieldBits(EntryCodes codes, BitWriter out) {
        this.codes = codes;
        this.out = out;
    }

    @Override
    public boolean symbol(Field field, int context, int symbol) {
        return codes.of(field).write(out, context, symbol);
    }

    @Override
    public void bits(int value, int width) {
        out.put(value, width);
    }

    @Override
    public void rules(Draft entry) {
        int symbol = codes.symbolOf(entry.rules);
        boolean known = symbol(Field.RULES, entry.forSome() ? 1 : 0, symbol);
        if (!known || symbol == Field.COMMON_RULES) {
            if (!known) {
                symbol(Field.RULES, entry.forSome() ? 1 : 0, Field.COMMON_RULES);
            }
            bits(entry.rules.length, BlockFormat.RULES_LENGTH_BITS);
            for (byte b : entry.rules) {
                bits(b & 0xff, BYTE);
            }
        }
    }

    @Override
    public int mark() {
        return out.position();
    }

    @Override
    public void reset(int mark) {
        out.truncate(mark);
    }
}
