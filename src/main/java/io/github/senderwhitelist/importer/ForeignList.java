package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.list.Opener;

/**
 * A list of another program, which is read once.
 *
 * @param name what messages call the list
 * @param opener opens the list
 */
public record ForeignList(String name, Opener opener) {}
