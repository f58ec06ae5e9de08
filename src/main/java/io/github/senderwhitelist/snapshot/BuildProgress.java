package io.github.senderwhitelist.snapshot;

/** Is told how far a build is; often, and from one thread. */
public interface BuildProgress {
    /** Takes no notice. */
    BuildProgress NONE = (phase, done, total) -> {};

    /** The parts of a build, one after the other. */
    enum Phase {
        /** Reading and sorting the lists; counted in bytes. */
        READING,
        /** Writing the exact store; counted in entries. */
        WRITING,
        /** Filling a filter that turned out smaller than planned; counted in entries. */
        FILTERING,
    }

    /**
     * So much of a phase is done.
     *
     * @param total of the phase, or -1 when that is not known
     */
    void report(Phase phase, long done, long total);
}
