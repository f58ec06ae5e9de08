package io.github.senderwhitelist.list;

import java.io.IOException;
import java.io.InputStream;

/** Opens a list, which may be text or packed by gzip. */
@FunctionalInterface
public interface Opener {
    /** Returns a stream of the list's bytes. The caller closes it. */
    InputStream open() throws IOException;
}
