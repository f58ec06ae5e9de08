package io.github.senderwhitelist.store;

import io.github.senderwhitelist.coding.BitWriter;

/** A sink that writes fields by the codes of a store. */
final class FieldBits implements FieldSink {
    private final EntryCodes codes;
    private final Head head;
    private final BitWriter out;

    FieldBits(EntryCodes codes, BitWriter out) {
        this.codes = codes;
        this.head = new Head(codes);
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
    public int head(byte[] key, int from, int local) {
        return head.writeRest(out, key, from, local);
    }

    @Override
    public void rules(Draft entry) {
        int context = entry.forSome() ? 1 : 0;
        int symbol = codes.symbolOf(entry.rules);
        if (symbol == Field.COMMON_RULES || !symbol(Field.RULES, context, symbol)) {
            symbol(Field.RULES, context, Field.COMMON_RULES);
            bits(entry.rules.length, BlockFormat.RULES_LENGTH_BITS);
            bytes(entry.rules, 0, entry.rules.length);
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
