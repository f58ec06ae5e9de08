package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;

/**
 * Options and arguments that are wrong, missing, or too many, beside those in sessions. What is
 * allowed, types test.
 */
class OptionsTest extends CommandTest {
    @BeforeEach
    void begin() throws IOException {
        Files.writeString(folder.resolve("L"), "alice@example.com\n");
    }

    private String[] words(String line) {
        return Stream.of(line.split(" ", -1))
                .map(word -> word.matches("[LX]") ? path(word) : word)
                .toArray(String[]::new);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "build L -o X --from list --for sam | --for: allowed only with --from vcard",
                "build L -o X --from vcard --for sam | an address, local@domain",
                "build L -o X --from rspamd --no-parent-domains | only with --from postfix",
                "build L -o X --filter BLOCKED | classic, blocked, ribbon",
                "build L -o X --false-positive-rate 1% | a number from 0.000000001 to 0.5",
                "build L -o X --bits-per-address 65 | a number from 1 to 64",
                "build L -o X --false-positive-rate 0.1 --bits-per-address 8 | one of the two",
                "build L -o X --seed 1x | a whole number from",
                "build L -o X --memory 15m | a size such as 64m or 1g, from 16m",
                "plan --addresses 9 --false-positive-rate 0 | a number from",
                "check L a@b.example --to @b.example | an address, local@domain",
                "check L a@b.example --from junk\u001b | an address, local@domain",
                "check L a@b.example --auth any | spf, dkim, dkim:DOMAIN",
                "remove own a@b.example --origin Admin | admin, user, learned",
            })
    void valueShouldBeRefusedInOneLineThatSaysWhatIsAllowed(String line, String allowed) {
        assertThat(run(words(line))).isEqualTo(2);
        assertThat(err())
                .hasLineCount(1)
                .contains(allowed)
                .endsWith("; see 'whitelist " + line.split(" ", 2)[0] + " --help'\n")
                .doesNotContain("\u001b");
        assertThat(out()).isEmpty();
        assertThat(folder.resolve("X")).doesNotExist();
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void shouldSayInOneLineWhatIsMissingOrTooMuch(String line) {
        assertThat(run(words(line))).isEqualTo(2);
        assertThat(err())
                .hasLineCount(1)
                .endsWith("; see 'whitelist " + line.split(" ", 2)[0] + " --help'\n");
    }

    static final List<String> LINES =
            List.of(
                    "build L",
                    "build L -o X -o Y",
                    "check L",
                    "check L a@b.example --nonsense",
                    "check L a@b.example --explain=maybe",
                    "lint",
                    "add x",
                    "remove x",
                    "rename a@b.example",
                    "status own other");
}
