package io.github.senderwhitelist.importer;

import java.io.IOException;
import java.io.InputStream;

/**
 * A list of another program. It is read once.
 *
 * @param name what messages call the list
 * @param opener opens the list
 */
public record ForeignList(String name, Opener opener) {

    /** Opens a list. */
    @FunctionalInterface
    public interface Opener {
        /** Returns a stream of the list's bytes, plain or gzip. */
        InputStream open() throws IOException;
    }
}
