package io.github.senderwhitelist.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The standard output of a command. It is written in large pieces, and a write that fails ends the
 * command. Java's own writers ignore failures.
 */
final class Output extends OutputStream {
    private static final int PIECE = 1 << 16;

    private final OutputStream target;
    private boolean failed;

    private Output(OutputStream target) {
        this.target = target;
    }

    /** Returns standard output or standard error as a stream that throws when a write fails. */
    static OutputStream stream(FileDescriptor descriptor) {
        return new FileOutputStream(descriptor);
    }

    /** Returns a buffered writer in UTF-8, whatever the locale is. */
    static PrintWriter writer(OutputStream target) {
        return new PrintWriter(
                new OutputStreamWriter(
                        new BufferedOutputStream(new Output(target), PIECE),
                        StandardCharsets.UTF_8),
                false);
    }

    /** Signals that standard output could not be written. */
    static final class FailedException extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        FailedException(IOException cause) {
            super("standard output: " + cause.getMessage(), cause);
        }

        /**
         * Returns whether the reader of standard output has gone, as {@code head} does when it has
         * read enough.
         */
        boolean readerHasGone() {
            return String.valueOf(getMessage()).contains("Broken pipe") || isPipe();
        }
    }

    /**
     * Returns whether standard output is a pipe. Writing to a pipe fails only when its reader has
     * gone. The message of the failure cannot be relied on, since it is in the language of the
     * locale.
     */
    private static boolean isPipe() {
        return target(1).startsWith("pipe:");
    }

    /**
     * Returns what a descriptor of this process leads to, such as {@code /dev/pts/0} or {@code
     * pipe:[1234]}. Returns an empty string where the system does not say.
     *
     * @param descriptor 1 for standard output, 2 for standard error
     */
    static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    private interface Write {
        void run() throws IOException;
    }

    /**
     * Does nothing after the first failure, so that one failure is not reported again and again.
     */
    private void unlessFailed(Write write) {
        if (failed) {
            return;
        }
        try {
            write.run();
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
