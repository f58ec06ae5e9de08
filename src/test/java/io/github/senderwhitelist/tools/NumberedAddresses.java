package io.github.senderwhitelist.tools;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Makes addresses that have numbers: the same number gives the same address, and different numbers
 * give different ones.
 */
public abstract class NumberedAddresses {
    /** The length of the longest address of any generator, in bytes, and of a line's end. */
    public static final int MAX_LENGTH = 96;

    /** The last address, and after it what is left of longer ones. */
    protected final byte[] line = new byte[MAX_LENGTH];

    /** The length of the last address in bytes. */
    protected int length;

    /**
     * Makes address number {@code i}; it is in {@link #bytes()} to {@link #length()} until the next
     * call.
     */
    public abstract void fill(long i);

    /** Returns the bytes of the last address. At least one more byte follows them. */
    public final byte[] bytes() {
        return line;
    }

    /** Returns the length of the last address in bytes. */
    public final int length() {
        return length;
    }

    /** Returns address number {@code i}. */
    public final String address(long i) {
        fill(i);
        return new String(line, 0, length, StandardCharsets.US_ASCII);
    }

    /** Writes addresses to standard output, one a line. */
    public final void print(long first, long count) throws IOException {
        try (OutputStream out =
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 18)) {
            for (long i = first; i < first + count; i++) {
                fill(i);
                line[length] = '\n';
                out.write(line, 0, length + 1);
            }
        }
    }
}
