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
public interface NumberedAddresses {
    /** The length of the longest address of any generator, in bytes, and of a line's end. */
    int MAX_LENGTH = 96;

    /**
     * Makes address number {@code i}; it is in {@link #bytes()} to {@link #length()} until the next
     * call.
     */
    void fill(long i);

    /** Returns the bytes of the last address. At least one more byte follows them. */
    byte[] bytes();

    /** Returns the length of the last address in bytes. */
    int length();

    /** Returns address number {@code i}. */
    default String address(long i) {
        fill(i);
        return new String(bytes(), 0, length(), StandardCharsets.US_ASCII);
    }

    /** Writes addresses to standard output, one a line. */
    default void print(long first, long count) throws IOException {
        try (OutputStream out =
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 18)) {
            for (long i = first; i < first + count; i++) {
                fill(i);
                bytes()[length()] = '\n';
                out.write(bytes(), 0, length() + 1);
            }
        }
    }
}
