package io.github.senderwhitelist.importer;

import java.io.IOException;
import java.io.InputStream;

/**
 * A list of another program, to be read once.
 *
 * @param name what messages call it
 * @param opener opens it
 */
public record ForeignList(String name, Opener opener) {

    /** Opens a list. */
    @FunctionalInterface
    public interface Opener {
        /** A stream of the list's bytes, plain or gzip. */
        InputStream open() throws IOException;
    }
}
