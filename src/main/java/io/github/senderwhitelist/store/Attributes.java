package io.github.senderwhitelist.store;

import java.io.IOException;

/**
 * What the store keeps beside a key: a row of attributes, each a tag (u8), a length (u8) and that
 * many bytes. A reader that meets a tag it does not know refuses the entry: an attribute can only
 * narrow what an entry lists, so ignoring one could list too much.
 */
final class Attributes {
    /** A {@code !} entry; no bytes. */
    static final int DENIED = 1;

    private static final byte[] NONE = {};
    private static final byte[] ONLY_DENIED = {DENIED, 0};

    private Attributes() {}

    static byte[] encode(boolean denied) {
        return denied ? ONLY_DENIED : NONE;
    }

    /** Whether these attributes deny. */
    static boolean denied(byte[] bytes, int from, int length) throws IOException {
        boolean denied = false;
        int at = from;
        while (at < from + length) {
            int tag = bytes[at] & 0xff;
            int size = at + 1 < from + length ? bytes[at + 1] & 0xff : -1;
            if (tag != DENIED || size != 0) {
                throw new IOException(
                        "an entry has attribute "
                                + tag
                                + ", which this version does not know; use a newer one");
            }
            denied = true;
            at += 2 + size;
        }
        return denied;
    }
}
