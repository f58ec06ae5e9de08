package io.github.senderwhitelist.store;

/** Takes an entry, field after field. */
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
     * Takes those bits of a sender's local part {@code key[0, local)} that its head does not tell
     * of the last symbol that it tells.
     *
     * @param from where the head begins; beyond the end of the local part it tells nothing of that
     * @return the number of symbols known then, with the end, or more if nothing is left to be
     *     told; negative if the head is not exact
     */
    int head(byte[] key, int from, int local);

    /** Takes the rules of an entry. */
    void rules(Draft entry);

    /** Returns a mark to go back to. */
    int mark();

    /** Takes back what came after the mark. */
    void reset(int mark);
}
