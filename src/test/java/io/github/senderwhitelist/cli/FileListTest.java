package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** What becomes of a list that changes while it is read. */
class FileListTest {
    @TempDir Path folder;
    private Path file = Path.of("");

    /** Does something to the file while it is read. */
    @FunctionalInterface
    private interface Meanwhile {
        void happen() throws IOException;
    }

    private void read(Meanwhile meanwhile) throws IOException {
        file = Files.writeString(folder.resolve("list.txt"), "alice@example.com\n");
        try (InputStream in = FileList.unchanged(file)) {
            assertThat(in.read()).isEqualTo('a');
            meanwhile.happen();
            in.readAllBytes();
        }
    }

    private void shouldFail(Meanwhile meanwhile) {
        assertThatThrownBy(() -> read(meanwhile))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + ": changed while it was read");
    }

    /** What was replaced or removed, and was open, is whole. */
    @Test
    void unchangedShouldFailOnlyWhenTheFileIsWrittenTo() throws IOException {
        shouldFail(() -> Files.writeString(file, ""));
        shouldFail(() -> Files.writeString(file, "more\n", StandardOpenOption.APPEND));
        Path next = Files.writeString(folder.resolve("next"), "bob@example.com\n");
        read(() -> Files.move(next, file, StandardCopyOption.REPLACE_EXISTING));
        read(() -> Files.move(file, folder.resolve("old")));
        read(() -> Files.delete(file));
        read(() -> Files.readString(file));
    }
}
