package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * Failures of file access with the name of the file and the reason. Java's own exceptions often
 * lack one of them: those of a full disk say only "No space left on device".
 */
final class FileFailures {
    private FileFailures() {}

    /** An operation on a file. */
    @FunctionalInterface
    interface FileCall<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /** Returns what people call a file. The names of temporary files say nothing to them. */
    static String name(Path file) {
        return String.valueOf(file.getFileName()).startsWith(Disk.TEMPORARY_PREFIX)
                ? "a temporary file in " + file.getParent()
                : file.toString();
    }

    /** Does something with the file that people call so, and adds its name to a failure. */
    static <T extends @Nullable Object> T naming(String name, FileCall<T> call) throws IOException {
        try {
            return call.run();
        } catch (IOException e) {
            throw of(name, e);
        }
    }

    /** Returns a failure that names the file. Callers tell two kinds from all others. */
    static IOException of(String name, IOException e) {
        String reason = reason(e);
        FileSystemException named =
                switch (e) {
                    case NoSuchFileException no -> new NoSuchFileException(name, null, reason);
                    case AccessDeniedException no -> new AccessDeniedException(name, null, reason);
                    default -> new FileSystemException(name, null, reason);
                };
        named.initCause(e);
        return named;
    }

    private static String reason(IOException e) {
        String reason =
                switch (e) {
                    case FileSystemException said when said.getReason() != null -> said.getReason();
                    case NoSuchFileException missing -> "no such file";
                    case AccessDeniedException denied -> "no permission";
                    case FileAlreadyExistsException there -> "exists already";
                    case NotDirectoryException file -> "not a folder";
                    case FileSystemException unsaid -> null;
                    case ClosedByInterruptException interrupted -> "interrupted";
                    case InterruptedIOException interrupted -> "interrupted";
                    case ClosedChannelException closed -> "closed";
                    default -> e.getMessage();
                };
        return reason == null ? e.getClass().getSimpleName() : reason;
    }
}
