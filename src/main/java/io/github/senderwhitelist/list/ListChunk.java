package io.github.senderwhitelist.list;

/** Some whole lines of a list, as bytes. */
final class ListChunk {
    /**
     * The size of a chunk in bytes: large enough for thousands of lines, small enough for the
     * processor's cache.
     */
    static final int SIZE = 1 << 18;

    final byte[] bytes = new byte[SIZE];
    int length;

    /** The number of this chunk within the list, from 0. */
    int number;

    /** The position of this chunk in the unpacked list, in bytes. */
    long offset;
}
