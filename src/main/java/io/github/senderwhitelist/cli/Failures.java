package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import java.util.regex.Pattern;

/** Descriptions of failures, for people. */
final class Failures {
    /**
     * The temporary name of a file that is not finished. Messages name the finished file instead.
     */
    private static final Pattern UNFINISHED = Pattern.compile("\\.([^/]+)\\.[0-9a-f]{1,16}\\.tmp$");

    private static final Pattern TEMPORARY =
            Pattern.compile("/" + Pattern.quote(Disk.TEMPORARY_PREFIX) + "[^/]*$");

    private Failures() {}

    /**
     * Returns one message that says what happened, to which file, and what can be done about it.
     */
    static String message(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError) {
                return "out of memory ("
                        + cause.getMessage()
                        + ") with a heap of "
                        + Numbers.bytes(Runtime.getRuntime().maxMemory())
                        + "; give more with java -Xmx…, or let the command take less: build"
                        + " --memory 128m";
            }
        }
        return switch (failure) {
            case StackOverflowError e ->
                    "the stack is too small for this input; give more with java -Xss… (--verbose"
                            + " prints where)";
            case LinkageError e ->
                    "a part of the program, or of Java, is missing or does not fit ("
                            + (e.getCause() == null ? e : e.getCause())
                            + "); take the whole jar, and Java 21 or newer with all modules";
            case NoSuchFileException e -> named(e) + "no such file";
            case AccessDeniedException e ->
                    named(e)
                            + "no permission (this program runs as user "
                            + System.getProperty("user.name")
                            + ")";
            case FileSystemException e ->
                    named(e)
                            + (e.getReason() == null
                                    ? e.getClass().getSimpleName()
                                    : e.getReason());
            case Output.FailedException e -> String.valueOf(e.getMessage());
            case UncheckedIOException e -> message(Objects.requireNonNull(e.getCause()));
            case IOException e when e.getMessage() != null -> e.getMessage();
            case IllegalArgumentException e when e.getMessage() != null -> e.getMessage();
            default -> "unexpected: " + failure + " (--verbose prints where)";
        };
    }

    private static String named(FileSystemException failure) {
        String file = String.valueOf(failure.getFile());
        return TEMPORARY.matcher(UNFINISHED.matcher(file).replaceFirst("$1")).replaceFirst("")
                + ": ";
    }
}
