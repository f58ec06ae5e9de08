package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Scratch;

/**
 * What a build may use.
 *
 * @param memory bytes for sorting; filter and dictionary come on top when the sorting is done
 * @param threads how many threads parse and sort
 * @param scratch for temporary files
 */
public record BuildResources(long memory, int threads, Scratch scratch) {
    /** The least memory a build works with. */
    public static final long LEAST_MEMORY = 16L << 20;

    /** Checks the ranges. */
    public BuildResources {
        if (memory < LEAST_MEMORY || threads < 1) {
            throw new IllegalArgumentException(memory + " bytes, " + threads + " threads");
        }
    }
}
