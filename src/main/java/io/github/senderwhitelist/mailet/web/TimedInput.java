package io.github.senderwhitelist.mailet.web;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;

/** A stream that fails after a while, so that no answer waits for a very long file. */
final class TimedInput extends FilterInputStream {
    private static final Duration MAX = Duration.ofSeconds(1);

    private final long began = System.nanoTime();

    TimedInput(InputStream in) {
        super(in);
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (System.nanoTime() - began > MAX.toNanos()) {
            throw new InterruptedIOException();
        }
        return super.read(bytes, from, length);
    }
}
