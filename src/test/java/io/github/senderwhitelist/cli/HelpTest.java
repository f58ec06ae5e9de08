package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

import java.util.List;

/** What a person gets who asks for help, or types something that is no command. */
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

    @ParameterizedTest
    @CsvSource({
        "delete own a@x.org, no such COMMAND: 'delete'; did you mean 'remove'?",
        "show own, no such COMMAND: 'show'; did you mean 'export'?",
        "chek L a@b.c, no such COMMAND: 'chek'; did you mean 'check'?",
        "version, no such COMMAND: 'version'; did you mean '--version'?",
        "frobnicate --help, no such COMMAND: 'frobnicate';",
        "plan 100000, Missing required option: '--addresses=<count>'",
        "info L json, argument too many: 'json'; did you mean '--json'?",
        "verify L M, argument too many: 'M'",
        "verify L --aganst x, no such option: '--aganst'; did you mean '--against'?",
        "-o X build L, no such option before the COMMAND: '-o'",
        "check L -V@example.com, no such option: '-V@example.com'; put -- before addresses",
        "check L -h@example.com, no such option: '-h@example.com'; put -- before addresses",
        "check L -x@example.com, no such option: '-x@example.com'; put -- before addresses",
        "check L -hV, no such option: '-hV'",
        "help, no such COMMAND: 'help'; did you mean '--help'?",
    })
    void complaintShouldSayWhatWasProbablyMeant(String line, String message) {
        assertThat(run(line.split(" "))).isEqualTo(2);
        assertThat(out()).isEmpty();
        assertThat(err()).contains(message).contains(" --help'").hasLineCount(1);
    }
}
