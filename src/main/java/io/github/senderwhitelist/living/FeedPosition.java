package io.github.senderwhitelist.living;

/**
 * A place in the feed of a table.
 *
 * @param epoch the name of the feed; another one after the table was made again or the database
 *     restored
 * @param place the place, which only the table understands
 */
public record FeedPosition(String epoch, String place) {}
