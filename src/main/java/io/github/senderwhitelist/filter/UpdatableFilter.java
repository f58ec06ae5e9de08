package io.github.senderwhitelist.filter;

/** A filter that hashes can be added to, by one thread at a time. */
public interface UpdatableFilter extends Filter {
    /** Adds a hash; adding it again is allowed. */
    void add(long hash);
}
