package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Scratch;

/**
 * What a build may use.
 *
 * @param memory bytes for sorting at most: a small list takes less, and so does a Java with a small
 *     heap; filter and dictionary come on top when the sorting is done
 * @param threads how many threads parse and sort
 * @param scratch for temporary files
 */
public record BuildResources(long memory, int threads, Scratch scratch) {
    /** The least memory a build works with. */
    public static final long LEAST_MEMORY = 4L << 20;

    /** The rest of the heap is for the filter, the dictionary, and garbage. */
    private static final int SHARE_OF_HEAP = 3;

    /** Checks the ranges, and leaves room in the heap. */
    public BuildResources {
        if (memory < LEAST_MEMORY || threads < 1) {
            throw new IllegalArgumentException(memory + " bytes, " + threads + " threads");
        }
        long most = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
        memory = Math.max(LEAST_MEMORY, Math.min(memory, most));
    }
}
