package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.util.List;

/** What a person gets who asks for help. */
class HelpTest extends CommandTest {
    static final List<String> COMMANDS = Main.NAMES;

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
            Main.line(words)
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
}
