package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class DefinedListsTest {
    @TempDir Path folder;

    @Test
    void shouldFindTheSources() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("whitelists.xml"),
                        """
                        <?xml version="1.0"?>
                        <!DOCTYPE whitelists SYSTEM "file:///nowhere/at/all">
                        <whitelists>
                          <!-- <whitelist name="no"><source>jdbc:sqlite:file://x</source></whitelist> -->
                          <whitelist name="partners"><source>file://conf/p.txt</source></whitelist>
                          <whitelist name=" own ">
                            <pollInterval>2s</pollInterval>
                            <source> jdbc:postgresql://db.example/james </source>
                          </whitelist>
                        </whitelists>
                        """);

        assertThat(DefinedLists.sources(file))
                .containsExactly(
                        entry("partners", "file://conf/p.txt"),
                        entry("own", "jdbc:postgresql://db.example/james"));
        assertThat(DefinedLists.sources(DefinedLists.FILE)).containsKey("own");
        assertThat(DefinedLists.sources(folder.resolve("none"))).isEmpty();
    }

    @Test
    void shouldSayInWhichLineItIsNotXml() throws IOException {
        Path file = Files.writeString(folder.resolve("x.xml"), "<whitelists>\n<whitelist name=");

        assertThatThrownBy(() -> DefinedLists.sources(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": line 2: not XML; nothing was done");
    }
}
