package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The script for shells, asked as bash does when the key Tab is pressed. */
class CompletionCommandTest {
    private static final Path BASH = Path.of("/bin/bash");

    @TempDir Path folder;

    private Path script() throws IOException {
        Path script = folder.resolve("completion");
        try (OutputStream out = Files.newOutputStream(script)) {
            assertThat(Main.run(out, "completion")).isZero();
        }
        return script;
    }

    @ParameterizedTest
    @CsvSource({
        "whitelist ver, verify",
        "whitelist build --filt, --filter",
        "whitelist build list.txt --filter rib, ribbon",
        "whitelist import --from p, postfix",
        "whitelist info --j, --json",
        "whitelist verify lis, ''",
    })
    void shouldComplete(String line, String expected) throws Exception {
        assumeThat(BASH).exists();
        Process bash =
                new ProcessBuilder(
                                BASH.toString(),
                                "--norc",
                                "-c",
                                "source $0; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
                                        + " _complete_whitelist; echo \"${COMPREPLY[@]}\"",
                                script().toString(),
                                line)
                        .redirectErrorStream(true)
                        .start();
        assertThat(new String(bash.getInputStream().readAllBytes(), UTF_8))
                .isEqualTo(expected + "\n");
    }

    @Test
    void shouldLeaveFilesToTheShell() throws IOException {
        assertThat(script())
                .content()
                .contains("complete -F _complete_whitelist -o default whitelist")
                .doesNotContain("+o default");
    }
}
