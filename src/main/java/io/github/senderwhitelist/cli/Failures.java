package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** Descriptions of failures, for people. */
final class Failures {
    /** The name of a temporary file; messages name its folder instead. */
    private static final String TEMPORARY = "/\\Q" + Disk.TEMPORARY_PREFIX + "\\E[^/]*$";

    private Failures() {}

    /**
     * Returns one message that says what happened, to which file, and what can be done about it.
     */
    static String message(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError) {
                return ("out of memory (%s) with a heap of %s; give more with java -Xmx…, or let "
                                + "the command take less: build --memory 128m")
                        .formatted(
                                cause.getMessage(),
                                Numbers.bytes(Runtime.getRuntime().maxMemory()));
            }
        }
        return switch (failure) {
            case LinkageError e ->
                    ("a part of the program, or of Java, is missing or does not fit (%s); take"
                                    + " the whole file, and Java 21 or newer with all modules")
                            .formatted(e.getCause() == null ? e : e.getCause());
            case NoSuchFileException e -> file(e) + ": no such file";
            case AccessDeniedException e ->
                    "%s: no permission (this program runs as user %s)"
                            .formatted(file(e), System.getProperty("user.name"));
            case FileSystemException e ->
                    file(e)
                            + ": "
                            + Objects.requireNonNullElse(
                                    e.getReason(), e.getClass().getSimpleName());
            case Output.FailedException e -> String.valueOf(e.getMessage());
            case UncheckedIOException e -> message(Objects.requireNonNull(e.getCause()));
            case IOException e when e.getMessage() != null -> e.getMessage();
            case IllegalArgumentException e when e.getMessage() != null -> e.getMessage();
            default -> "unexpected: " + failure + " (--verbose prints where)";
        };
    }

    private static String file(FileSystemException failure) {
        return String.valueOf(failure.getFile()).replaceFirst(TEMPORARY, "");
    }
}
