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
        return named(() -> super.read());
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        return named(() -> super.read(target, from, length));
    }

    @Override
    public int available() throws IOException {
        return named(() -> super.available());
    }

    @Override
    public void close() {}

    private interface Call {
        int run() throws IOException;
    }

    private static int named(Call call) throws IOException {
        try {
            return call.run();
        } catch (IOException e) {
            throw new IOException("standard input: " + e.getMessage(), e);
        }
    }
}
