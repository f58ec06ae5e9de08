package io.github.senderwhitelist.store;

/** A consumer of entries, field after field. */
interface FieldSink {
    /** Takes a symbol of a field; returns false, and takes nothing, if it has no code there. */
    boolean symbol(Field field, int context, int symbol);

    /** Takes the lowest {@code width} bits of a number. */
    void bits(int value, int width);

    /** Takes {@code bytes[from, to)}. */
    default void bytes(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            bits(bytes[i] & 0xff, Byte.SIZE);
        }
    }

    /**
     * Takes the bits that the head of a sender's local part {@code key[0, local)} cuts off its last
     * symbol.
     *
     * @param from where the head begins; beyond the end of the local part, the head contains none
     *     of its symbols
     * @return the number of symbols known then, with the end, or more if all are known; negative if
     *     the head is not exact
     */
    int head(byte[] key, int from, int local);

    /** Takes the rules of an entry. */
    void rules(Draft entry);

    /** Returns a mark for {@link #reset}. */
    int mark();

    /** Discards the fields after a mark. */
    void reset(int mark);
}
