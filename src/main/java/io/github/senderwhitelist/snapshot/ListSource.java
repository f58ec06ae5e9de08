package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * A text list that a snapshot is built from.
 *
 * @param name the name of the list in messages
 * @param size its length in bytes, or -1 if it is not known
 * @param opener opens the list
 */
public record ListSource(String name, long size, Opener opener) {

    /** Opens a list. */
    @FunctionalInterface
    public interface Opener {
        /** Returns a stream of the list's bytes. */
        InputStream open() throws IOException;
    }

    /** Returns the source of a list in a file. */
    public static ListSource of(Disk disk, Path file) {
        return new ListSource(
                file.toString(), disk.state(file).size(), () -> DiskInput.open(disk, file));
    }
}
