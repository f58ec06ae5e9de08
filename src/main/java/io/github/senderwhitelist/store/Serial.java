package io.github.senderwhitelist.store;

import java.nio.ByteOrder;

/** The byte order of all numbers in a snapshot. */
public final class Serial {
    /** Little-endian. */
    public static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private Serial() {}
}
