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
import java.util.stream.Stream;

/** Scripts for shells, asked as these do when the key Tab is pressed. */
class CompletionCommandTest {
    private static final Path BASH = Path.of("/bin/bash");

    @TempDir Path folder;

    private Path script(String... form) throws IOException {
        Path script = folder.resolve("completion");
        String[] arguments =
                Stream.concat(Stream.of("completion"), Stream.of(form)).toArray(String[]::new);
        try (OutputStream out = Files.newOutputStream(script)) {
            assertThat(Main.run(out, arguments)).isZero();
        }
        return script;
    }

    private static String output(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "whitelist ver, verify",
        "whitelist build --filt, --filter",
        "whitelist import --fr, --from",
        "whitelist info --j, --json",
        "whitelist verify lis, ''",
    })
    void shouldComplete(String line, String expected) throws Exception {
        assumeThat(BASH).exists();
        String asked =
                "source $0; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
                        + " _complete_whitelist; echo \"${COMPREPLY[@]}\"";
        assertThat(output(BASH.toString(), "--norc", "-c", asked, script().toString(), line))
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
