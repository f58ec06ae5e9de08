package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;

/** A file that a command line names. */
final class NamedFile {
    private NamedFile() {}

    /** Returns the file, or says what is in its place, which opening it would not. */
    static Path existing(@Nullable Path file) throws IOException {
        Path named = Objects.requireNonNull(file);
        if (Files.isDirectory(named)) {
            throw new IOException(named + ": a directory; expected a file");
        }
        if (!Files.exists(named)) {
            throw new NoSuchFileException(named.toString());
        }
        return named;
    }
}
