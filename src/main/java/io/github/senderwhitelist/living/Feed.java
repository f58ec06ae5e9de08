package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Key;

import java.util.List;

/**
 * Changes of a table since a position.
 *
 * @param next the position to ask for next; changes that are in this feed may come again after it
 * @param changes the changes; their order means nothing
 */
public record Feed(FeedPosition next, List<Change> changes) {
    /**
     * A change of the entries of a sender.
     *
     * @param number the number of the change, which no other has
     */
    public record Change(long number, Key sender) {}
}
