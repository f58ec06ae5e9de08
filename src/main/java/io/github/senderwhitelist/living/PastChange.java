package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Origin;

import java.time.Instant;
import java.util.List;

/**
 * A change in the history of a list.
 *
 * @param at when it was made, by the clock of the server that made it
 * @param who who made it
 * @param origin whose entry was changed
 * @param lines the lines of the entry afterwards; none when it was removed
 * @param key the sender, and the recipients after {@code " to="} if the entry is not for all
 */
public record PastChange(Instant at, String who, Origin origin, String key, List<String> lines) {}
