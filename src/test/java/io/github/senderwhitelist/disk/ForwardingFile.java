package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file that forwards all calls to another one, for subclasses that change some of them. The
 * default methods of {@link DiskFile} call the methods of the subclass.
 */
public abstract class ForwardingFile implements DiskFile {
    final DiskFile file;

    /** Wraps the file, which this one closes. */
    protected ForwardingFile(DiskFile file) {
        this.file = file;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        return file.read(into, position);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        return file.write(from, position);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public void force() throws IOException {
        file.force();
    }

    @Override
    public boolean tryLock() {
        return file.tryLock();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
