package io.github.senderwhitelist.filter;

/**
 * A filter from which hashes can be removed: one that was added n times is gone after n removals.
 */
public interface RemovableFilter extends UpdatableFilter {
    /**
     * Removes a hash, which must have been added before. Removing a hash that is not in the filter,
     * but that it answers true for, would make it answer false for others that are in it. A hash
     * that was added more often than the filter can count is never removed completely.
     *
     * @return false if the hash is certainly not in the filter, which stays as it is
     */
    boolean remove(long hash);
}
