package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The standard output of a command. It is written in large pieces, and a write that fails ends the
 * command: a script must not take half of the answers for all. Java's own writers ignore failures.
 */
final class Output extends OutputStream {
    private static final int PIECE = 1 << 16;

    /** The devices of Linux that are terminals. */
    private static final String TERMINAL = "/dev/(?:pts/[0-9]+|tty.*|console|hvc[0-9]+)";

    private final OutputStream target;

    private Output(OutputStream target) {
        this.target = target;
    }

    static OutputStream standard() {
        return new FileOutputStream(FileDescriptor.out);
    }

    static PrintWriter writer(OutputStream target) {
        return new PrintWriter(
                new OutputStreamWriter(new BufferedOutputStream(new Output(target), PIECE), UTF_8));
    }

    /** Returns whether standard output (1) or standard error (2) is a terminal. */
    static boolean isTerminal(int descriptor) {
        return leadsTo(descriptor).matches(TERMINAL);
    }

    /** Returns what a descriptor leads to, such as {@code pipe:[1234]}, or an empty string. */
    private static String leadsTo(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    /** Signals that standard output could not be written. */
    static final class FailedException extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        FailedException(IOException cause) {
            super("standard output: " + cause.getMessage(), cause);
        }

        /** Returns whether the reader of standard output has gone: only then a pipe fails. */
        boolean readerHasGone() {
            return leadsTo(1).startsWith("pipe:");
        }
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        try {
            target.write(bytes, from, length);
        } catch (IOException e) {
            throw new FailedException(e);
        }
    }
}
