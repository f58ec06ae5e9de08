package io.github.senderwhitelist.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Standard output of a command: in large pieces, and a write that fails ends the command. Writers
 * of Java's own only remember that a write failed.
 */
final class Output extends OutputStream {
    private static final int PIECE = 1 << 16;

    private final OutputStream target;
    private boolean failed;

    private Output(OutputStream target) {
        this.target = target;
    }

    /** Returns standard output, or standard error, as a stream that says why a write failed. */
    static OutputStream stream(FileDescriptor descriptor) {
        return new FileOutputStream(descriptor);
    }

    /** Returns a writer in UTF-8, whatever the locale; it writes when it is full or flushed. */
    static PrintWriter writer(OutputStream target) {
        return new PrintWriter(
                new BufferedOutputStream(new Output(target), PIECE), false, StandardCharsets.UTF_8);
    }

    /** Standard output took no more. */
    static final class FailedException extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        FailedException(IOException cause) {
            super("standard output: " + cause.getMessage(), cause);
        }

        /** Whether its reader has gone, as {@code head} has when it has seen enough. */
        boolean readerHasGone() {
            return String.valueOf(getMessage()).contains("Broken pipe") || isPipe();
        }
    }

    /**
     * Whether standard output is a pipe, which takes no more for one reason only. The system gives
     * the reason in the language of the locale.
     */
    private static boolean isPipe() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/1"))
                    .toString()
                    .startsWith("pipe:");
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private interface Act {
        void run() throws IOException;
    }

    /** Of one failure everything after it would be another. */
    private void unlessFailed(Act act) {
        if (failed) {
            return;
        }
        try {
            act.run();
        } catch (IOException e) {
            failed = true;
            throw new FailedException(e);
        }
    }

    @Override
    public void write(int b) {
        unlessFailed(() -> target.write(b));
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        unlessFailed(() -> target.write(bytes, from, length));
    }

    @Override
    public void flush() {
        unlessFailed(target::flush);
    }
}
