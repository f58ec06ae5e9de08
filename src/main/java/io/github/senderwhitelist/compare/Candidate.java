package io.github.senderwhitelist.compare;

/** One of the sets that are compared. */
interface Candidate {
    /** Returns its name: for a filter the label of its kind. */
    String name();

    /** Returns the memory of the set, in bytes. */
    long bytes();

    /** Looks all addresses up; returns how many are answered with "listed" or "perhaps". */
    int count(AddressBatch batch);

    /** Returns how many addresses to add at once while that is timed; 0 if none can be added. */
    int batchSize(int wanted);

    /** Returns whether addresses can be removed. */
    boolean removes();

    /** Adds the first {@code count} addresses. */
    void add(AddressBatch batch, int count);

    /** Removes the first {@code count} addresses. */
    void remove(AddressBatch batch, int count);
}
