package io.github.senderwhitelist.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file whose failures have the name that people know it by. */
final class NamedFile implements DiskFile {
    private final DiskFile file;
    private final String name;

    /** Wraps a file under this name. A name that it already has is replaced. */
    NamedFile(DiskFile file, String name) {
        this.file = file instanceof NamedFile named ? named.file : file;
        this.name = name;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        try {
            return file.read(into, position);
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }

    @Override
    public void readFully(ByteBuffer into, long position) throws IOException {
        try {
            DiskFile.super.readFully(into, position);
        } catch (EOFException e) {
            throw new EOFException(name + ": " + e.getMessage());
        }
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        try {
            return file.write(from, position);
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }

    @Override
    public long size() throws IOException {
        try {
            return file.size();
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }

    @Override
    public void force() throws IOException {
        try {
            file.force();
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }

    @Override
    public boolean tryLock() {
        return file.tryLock();
    }

    @Override
    public long copyTo(DiskFile target, long position, long count) throws IOException {
        NamedFile other = target instanceof NamedFile named ? named : new NamedFile(target, "");
        try {
            return file.copyTo(other.file, position, count);
        } catch (IOException e) {
            // The failure may concern either file.
            throw FileFailures.of(name + " to " + other.name, e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            file.close();
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }
}
