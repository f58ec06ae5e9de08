package io.github.senderwhitelist.snapshot;

/** A listener to the progress of a build, called often, by one thread at a time. */
public interface BuildProgress {
    /** The phases of a build, in their order. */
    enum Phase {
        /** Reading and sorting the lists, counted in bytes. */
        READING,
        /** Merging what was sorted in parts, if it was, counted in lines. */
        MERGING,
        /** Counting what the sorted lines have, in lines. */
        COUNTING,
        /** Writing the exact store and filling the filters, counted in entries. */
        WRITING,
        /** Making a static filter of all hashes, counted in entries. */
        SOLVING,
    }

    /**
     * Reports how much of a phase is done.
     *
     * @param total the whole of the phase, or -1 if it is not known
     */
    void report(Phase phase, long done, long total);
}
