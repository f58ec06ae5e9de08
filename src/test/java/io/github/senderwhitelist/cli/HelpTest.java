package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a person gets who asks for help, or presses the key Tab in a shell. */
class HelpTest extends CommandTest {
    static final List<String> COMMANDS = Main.NAMES;
    private static final Path BASH = Path.of("/bin/bash");

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void helpShouldFitOnAScreenAndHaveExamples(String command) {
        assertThat(run(command, "--help")).isZero();
        String help = out();
        assertThat(help.lines().count()).isLessThanOrEqualTo(50);
        assertThat(help).startsWith("Usage: whitelist " + command + " ");
        assertThat(help.substring(help.indexOf("\nExamples:\n"))).contains("whitelist " + command);
        assertThat(help.lines()).allMatch(line -> line.length() <= 100);
    }

    /** Examples can be pasted: what they give is what the commands take. */
    @ParameterizedTest
    @FieldSource("COMMANDS")
    void examplesShouldBeParsed(String command) {
        run(command, "--help");
        List<String> examples =
                out().lines().filter(line -> line.matches("  whitelist .*")).toList();
        for (String example : examples) {
            String plain = example.strip().replaceFirst(" [<>|] .*| {2,}.*", "");
            String[] words = plain.replaceAll("'[^']*'", "x").split(" ");
            Main.line(words[1])
                    .parseArgs(List.of(words).subList(1, words.length).toArray(new String[0]));
        }
    }

    @Test
    void helpShouldNameAllCommands() {
        for (String[] line : new String[][] {{"--help"}, {"-h"}}) {
            out.reset();
            assertThat(run(line)).isZero();
            assertThat(out()).contains(COMMANDS).contains("130", "COMMAND --help");
        }
        assertThat(run("--version")).isZero();
        assertThat(out()).contains("james-sender-whitelist ");
    }

    private Path script() throws IOException {
        assertThat(run("completion")).isZero();
        return Files.writeString(folder.resolve("completion"), out());
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
