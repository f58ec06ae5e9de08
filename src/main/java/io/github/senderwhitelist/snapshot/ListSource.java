package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * A text list to be read once.
 *
 * @param name what messages call it
 * @param size its length in bytes, or -1 when that is not known
 * @param opener opens it
 */
public record ListSource(String name, long size, Opener opener) {

    /** Opens a list. */
    @FunctionalInterface
    public interface Opener {
        /** A stream of the list's bytes. */
        InputStream open() throws IOException;
    }

    /** A list in a file. */
    public static ListSource of(Disk disk, Path file) {
        return new ListSource(
                file.toString(), disk.state(file).size(), () -> DiskInput.open(disk, file));
    }
}
