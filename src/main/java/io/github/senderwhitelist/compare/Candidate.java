package io.github.senderwhitelist.compare;

/** One of the sets that are compared, holding n addresses. */
interface Candidate {
    /** The label of the kind, or what else it is. */
    String name();

    /** The memory it takes. */
    long bytes();

    /** How many of the questions it answers with "listed" or "perhaps". */
    int count(Questions questions);

    /** How many of the questions are added at a time when that is timed; 0: it takes no more. */
    int batch(int wanted);

    /** Whether addresses can be removed. */
    boolean removes();

    /** Adds the first so many. */
    void add(Questions questions, int count);

    /** Removes the first so many. */
    void remove(Questions questions, int count);
}
