package io.github.senderwhitelist.filter;

/**
 * A filter that forgets, too: a hash that was added some number of times is gone when it was
 * removed as often.
 */
public interface RemovableFilter extends UpdatableFilter {
    /**
     * Removes a hash that was added; removing another one that the filter takes for it would make
     * the filter deny hashes that are in it, so this is for those who know what they added. Of a
     * hash that was added more often than the filter can count, it keeps the last trace for good.
     *
     * @return false when the hash is certainly not in the filter, which stays as it is
     */
    boolean remove(long hash);
}
