package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Scratch;

/**
 * The resources that a build may use.
 *
 * @param memory the most bytes for sorting. A small list takes less. At most a third of the heap is
 *     used; filter and dictionary come on top when the sorting is done
 * @param threads the number of threads that parse and sort, and then make blocks
 * @param scratch the place for temporary files
 */
public record BuildResources(long memory, int threads, Scratch scratch) {
    /** The least bytes of memory that a build works with. */
    public static final long LEAST_MEMORY = 4L << 20;

    /** Sorting may use this part of the heap; the rest is for filter, dictionary and garbage. */
    private static final int SHARE_OF_HEAP = 3;

    /** Checks the numbers, and lowers the memory to a part of the heap. */
    public BuildResources {
        if (memory < LEAST_MEMORY || threads < 1) {
            throw new IllegalArgumentException(memory + " bytes, " + threads + " threads");
        }
        long most = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
        memory = Math.max(LEAST_MEMORY, Math.min(memory, most));
    }
}
