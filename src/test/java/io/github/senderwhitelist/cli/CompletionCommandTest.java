package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Scripts for shells, asked as these do when the key Tab is pressed; and the manual page. */
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
        "whitelist build list.txt --filter rib, ribbon",
        "whitelist import --from p, postfix",
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

    @ParameterizedTest
    @CsvSource({
        "whitelist ver, verify",
        "whitelist build --filt, --filter",
        "whitelist build list.txt --filter rib, ribbon",
        "whitelist import --from p, postfix",
        "whitelist completion f, fish",
        "whitelist status j, ''",
        "whitelist build -o /etc/host, /etc/hosts",
    })
    void shouldCompleteInFish(String line, String expected) throws IOException {
        Path fish = Path.of("/usr/bin/fish");
        Needs.require(Files.exists(fish), "fish is not installed; its completion was not tried");
        String asked = "source " + script("fish") + "; complete -C '" + line + "'";
        assertThat(output(fish.toString(), "--no-config", "-c", asked).lines())
                .extracting(answer -> answer.replaceFirst("\t.*", ""))
                .contains(expected.isEmpty() ? new String[0] : new String[] {expected})
                .allMatch(answer -> !expected.isEmpty());
    }

    @Test
    void shouldPrintAManualPageWithAllThatHelpHas() throws IOException {
        Path groff = Path.of("/usr/bin/groff");
        Needs.require(
                Files.exists(groff),
                "groff is not installed (Debian: groff-base); the manual page was not formatted");
        // It would warn about macros and characters that it does not know.
        String page =
                output(
                        groff.toString(),
                        "-man",
                        "-ww",
                        "-Tascii",
                        "-P-cbou",
                        "-rLL=500n",
                        script("man").toString());
        assertThat(page).doesNotContain("warning", "error", "${");
        for (String name : AllCommands.NAMES) {
            for (OptionSpec option : AllCommands.command(name).spec().options()) {
                assertThat(page).contains(option.longestName());
            }
        }
    }

    @Test
    void shouldLeaveFilesToTheShell() throws IOException {
        assertThat(script())
                .content()
                .contains("complete -F _complete_whitelist -o default whitelist")
                .doesNotContain("+o default");
    }
}
