package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.list.TextList;

import java.nio.file.Path;

/**
 * A text list that a snapshot is built from.
 *
 * @param name the name of the list in messages
 * @param size its length in bytes, or -1 if it is not known
 */
public record TextSource(String name, long size, TextList.Opener opener) {
    /** Returns the source of a list in a file. */
    public static TextSource of(Disk disk, Path file) {
        return new TextSource(
                file.toString(), disk.state(file).size(), () -> disk.open(file).input());
    }
}
