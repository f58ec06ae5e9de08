package io.github.senderwhitelist.disk;

import java.io.IOException;

/** A part of a file in memory. Any number of threads may read. */
public interface Mapping extends AutoCloseable {
    /**
     * Copies bytes out of the mapping; fills the array.
     *
     * @throws IOException when the mapping is closed
     * @throws InternalError when they cannot be had, because the file became shorter or its disk
     *     fails; maybe only after this method has returned
     */
    void read(long position, byte[] into) throws IOException;

    /** Lets go of the memory and the file. */
    @Override
    void close();
}
