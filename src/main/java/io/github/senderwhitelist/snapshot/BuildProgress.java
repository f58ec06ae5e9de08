package io.github.senderwhitelist.snapshot;

/** A listener to the progress of a build, called often, by one thread. */
public interface BuildProgress {
    /**
     * Reports how much of a step is done.
     *
     * @param step reading lists, in bytes; if they were sorted in parts, merging them, in lines;
     *     counting what lines have; writing entries; solving a static filter, in entries
     * @param total the whole of the step, or -1 if it is not known
     */
    void report(String step, long done, long total);
}
