package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;

class FileFailuresTest {
    private static final String FILE = "list.txt";

    static List<Arguments> reasons() {
        return List.of(
                Arguments.of(new IOException("Input/output error"), "Input/output error"),
                Arguments.of(new FileSystemException("a", "b", "No space left"), "No space left"),
                Arguments.of(new NoSuchFileException("a"), "no such file"),
                Arguments.of(new AccessDeniedException("a"), "no permission"),
                Arguments.of(new FileAlreadyExistsException("a"), "exists already"),
                Arguments.of(new NotDirectoryException("a"), "not a folder"),
                Arguments.of(new FileSystemLoopException("a"), "FileSystemLoopException"),
                Arguments.of(new ClosedByInterruptException(), "interrupted"),
                Arguments.of(new InterruptedIOException(), "interrupted"),
                Arguments.of(new ClosedChannelException(), "closed"),
                Arguments.of(new IOException(), "IOException"));
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void shouldNameTheFileAndTheReason(IOException failure, String reason) {
        IOException named = FileFailures.of(FILE, failure);
        assertThat(named).hasMessage("list.txt: " + reason).hasCause(failure);
        assertThat(named).isInstanceOf(FileSystemException.class);
        assertThat(FileFailures.of(FILE, named)).hasMessage(named.getMessage());
    }

    /** Callers treat these two kinds in a special way. */
    @ParameterizedTest
    @MethodSource("kinds")
    void shouldKeepTheKind(IOException failure) {
        assertThat(FileFailures.of(FILE, failure)).hasSameClassAs(failure);
    }

    static List<IOException> kinds() {
        return List.of(new NoSuchFileException("a"), new AccessDeniedException("a"));
    }
}
