package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.TextResource;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tests every option of every command with values that are not allowed. */
class OptionsTest extends CommandTest {
    /** An option, and values for it that must be refused. */
    record Row(String command, String option, List<String> junk, String allowed) {}

    /** Options whose text is parsed when the command runs; any other text is a name. */
    private static final Set<String> SPECIAL =
            Set.of(
                    "--addresses",
                    "--auth",
                    "--bits-per-address",
                    "--false-positive-rate",
                    "--memory",
                    "--seed");

    private static final Pattern VALUE = Pattern.compile("'([^']*)'");

    /** Returns the rows of {@code options.txt}. */
    static List<Row> rows() {
        String table = TextResource.text(OptionsTest.class, "options.txt");
        return Stream.of(table.split("\n\n", -1)).flatMap(OptionsTest::rows).toList();
    }

    /** Returns the rows of a section: each of its options for each of its commands. */
    private static Stream<Row> rows(String section) {
        List<Row> rows = new ArrayList<>();
        List<String> commands = section.lines().filter(line -> !line.startsWith(" ")).toList();
        for (String line : section.lines().filter(line -> line.startsWith(" ")).toList()) {
            String[] parts = line.strip().split(" \\| ", 3);
            List<String> junk =
                    VALUE.matcher(parts[2].translateEscapes())
                            .results()
                            .map(value -> value.group(1))
                            .toList();
            for (String option : parts[0].split(", ", -1)) {
                commands.forEach(each -> rows.add(new Row(each, option, junk, parts[1])));
            }
        }
        return rows.stream();
    }

    @BeforeEach
    void begin() throws IOException {
        Files.writeString(folder.resolve("L"), "alice@example.com\n");
    }

    @ParameterizedTest
    @MethodSource("rows")
    void shouldRefuseJunkInOneLine(Row row) {
        for (String junk : row.junk) {
            List<String> line = new ArrayList<>();
            for (String word : row.command.split(" ", -1)) {
                boolean file = word.equals("L") || word.equals("X");
                line.add(file ? folder.resolve(word).toString() : word);
            }
            line.add(row.option + "=" + junk);
            err.reset();
            int exit = Main.run(line.toArray(new String[0]));

            String said = err();
            assertThat(said.lines()).as(line.toString()).hasSize(1);
            assertThat(said)
                    .contains("'" + row.option + "'")
                    .contains(value(junk))
                    .contains("; allowed: " + row.allowed);
            assertThat(exit).isEqualTo(2);
            assertThat(out.size()).isZero();
            assertThat(folder.resolve("X")).doesNotExist();
        }
    }

    private static String value(String junk) {
        return "'" + junk.replace("\u001b", "\\u001b") + "'; allowed: ";
    }

    @Test
    void shouldTryEveryOption() {
        Set<String> tried =
                rows().stream()
                        .map(row -> row.command.split(" ", 2)[0] + " " + row.option)
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = new TreeSet<>();
        Main.line()
                .getSubcommands()
                .forEach(
                        (command, line) ->
                                line.getCommandSpec().options().stream()
                                        .filter(
                                                option ->
                                                        (option.arity().max() > 0
                                                                        && option.type()
                                                                                != String.class)
                                                                || SPECIAL.contains(
                                                                        option.longestName()))
                                        .map(OptionSpec::longestName)
                                        .forEach(option -> there.add(command + " " + option)));
        assertThat(tried).isEqualTo(there);
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void shouldSayInOneLineWhatIsMissingOrTooMuch(String line) {
        int exit = Main.run(line.split(" "));

        assertThat(err().lines()).singleElement().asString().endsWith("; see '" + help(line) + "'");
        assertThat(exit).isEqualTo(2);
    }

    static final List<String> LINES =
            List.of(
                    "nonsense",
                    "build",
                    "build L",
                    "build L -o",
                    "build L -o X -o Y",
                    "build L -o X --false-positive-rate 0.1 --bits-per-address 8",
                    "check",
                    "check L",
                    "check L a@b.example --nonsense",
                    "check L a@b.example --to a@b.example --to c@d.example",
                    "check L a@b.example --explain=maybe",
                    "lint",
                    "info",
                    "info L L",
                    "verify",
                    "plan",
                    "export",
                    "add",
                    "add x",
                    "remove x",
                    "rename a@b.example",
                    "rename a@b.example @b.example",
                    "import x",
                    "history x",
                    "diff L");

    private static String help(String line) {
        String command = line.split(" ", 2)[0];
        return command.equals("nonsense") || command.equals("help")
                ? "whitelist --help"
                : "whitelist " + command + " --help";
    }
}
