package io.github.senderwhitelist.disk;

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
 * lack one of them.
 */
final class FileFailures {
    private FileFailures() {}

    /**
     * Returns a failure of the same kind that names the file. A failure that already does is
     * returned as it is.
     */
    static IOException of(Path file, IOException e) {
        return of(file.toString(), e);
    }

    /**
     * Returns a failure of the same kind that names the file. A failure that already does is
     * returned as it is.
     *
     * @param name what people call the file
     */
    static IOException of(String name, IOException e) {
        if (String.valueOf(e.getMessage()).startsWith(name + ": ")) {
            return e;
        }
        String reason = reason(e);
        FileSystemException named =
                switch (e) {
                    case NoSuchFileException missing -> new NoSuchFileException(name, null, reason);
                    case AccessDeniedException denied ->
                            new AccessDeniedException(name, null, reason);
                    default -> new FileSystemException(name, null, reason);
                };
        named.initCause(e);
        return named;
    }

    /**
     * Returns the failure to create a file. When something is missing, it is the folder, since the
     * file itself is not expected to exist.
     */
    static IOException ofCreating(String name, Path folder, IOException e) {
        return e instanceof NoSuchFileException
                ? new NoSuchFileException(folder.toString(), null, "no such folder")
                : of(name, e);
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
