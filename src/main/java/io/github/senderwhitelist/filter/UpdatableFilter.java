package io.github.senderwhitelist.filter;

/** A filter that hashes can be added to, by one thread at a time. */
public interface UpdatableFilter extends Filter {
    /** Adds a hash, which may have been added before. */
    void add(long hash);
}
