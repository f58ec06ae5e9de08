package io.github.senderwhitelist.cli;

import java.io.FilterInputStream;
import java.io.IOException;

/**
 * Standard input, whose failures say so. It stays open: where the program was started without one,
 * the descriptor may be that of a file of Java's own, which crashes without it.
 */
final class StandardInput extends FilterInputStream {
    StandardInput() {
        super(System.in);
    }

    @Override
    public int read() throws IOException {
        try {
            return super.read();
        } catch (IOException e) {
            throw named(e);
        }
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        try {
            return super.read(target, from, length);
        } catch (IOException e) {
            throw named(e);
        }
    }

    @Override
    public int available() throws IOException {
        try {
            return super.available();
        } catch (IOException e) {
            throw named(e);
        }
    }

    @Override
    public void close() {}

    private static IOException named(IOException e) {
        return new IOException("standard input: " + e.getMessage(), e);
    }
}
