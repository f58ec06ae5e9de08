package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Scratch;

/**
 * The resources that a build may use.
 *
 * @param memory the most bytes for sorting. A small list takes less. At most a third of the heap is
 *     used; the filter comes on top when the sorting is done
 * @param scratch the place for temporary files
 */
public record BuildResources(long memory, Scratch scratch) {
    /** The least bytes of memory that a build works with. */
    public static final long MIN_MEMORY = 4L << 20;

    /** Sorting may use this part of the heap; the rest is for the filter and garbage. */
    private static final int SHARE_OF_HEAP = 3;

    /** Checks the numbers, and lowers the memory to a part of the heap. */
    public BuildResources {
        if (memory < MIN_MEMORY) {
            throw new IllegalArgumentException(memory + " bytes");
        }
        long max = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
        memory = Math.max(MIN_MEMORY, Math.min(memory, max));
    }
}
