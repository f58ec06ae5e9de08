package io.github.senderwhitelist.list;

/** Some whole lines of a list, as bytes. */
final class ListChunk {
    /** Enough for thousands of lines, little enough to stay in the processor's cache. */
    static final int SIZE = 1 << 18;

    final byte[] bytes = new byte[SIZE];
    int length;

    /** Which one it is, from 0. */
    int number;

    /** Where it begins in the list, in bytes (of the unpacked text). */
    long offset;
}
