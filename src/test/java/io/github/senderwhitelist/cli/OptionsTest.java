package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tests every option of every command with values that are not allowed. */
class OptionsTest extends CommandTest {
    private static final List<String> NO_COUNTS =
            List.of(
                    "", "x", "0", "-1", "210^3", "110^6", "1.5", "\u0663", "8d", "0x10", "1e19",
                    "NaN", "10^19", "1,00", "1_", "+1", " 1", "1 000");
    private static final List<String> NO_NUMBERS =
            List.of("", "x", "1x", "210^3", "1.5", "\u0663", "8L", "0x10", "1e19", "NaN", "+1");
    private static final List<String> NO_RATES =
            List.of("", "x", "0", "-0.1", "0.6", "1%", "\u0663", "0.1d", "0x1p-3", "NaN", "1e-10");
    private static final List<String> NO_BITS =
            List.of("", "x", "0.9", "65", "8d", "0x1p3", "\u0663", "NaN", "Infinity", "1e2");
    private static final List<String> NO_SIZES =
            List.of(
                    "",
                    "m",
                    "much",
                    "-1g",
                    "1.5g",
                    "1kb",
                    "1\u212a",
                    "\u0663g",
                    "99999999999g",
                    "0x1k");
    private static final List<String> NO_FLAGS = List.of("maybe", "1", "TRUE");
    private static final List<String> NO_FILES = List.of("");
    private static final List<String> NO_KINDS = List.of("", "bloom", "BLOCKED", "blocked ");

    private static final Set<String> IMPORT_OPTIONS =
            Set.of("--from", "--no-parent-domains", "--recipient-delimiter", "--auth", "--for");

    /** An option, and values for it that must be refused. */
    record Row(String command, String option, List<String> junk, String allowed) {}

    private static final List<Row> ROWS_OF_FILES =
            List.of(
                    new Row("build L", "--output", NO_FILES, "the name of a file"),
                    new Row(
                            "build L -o X",
                            "--from",
                            List.of("", "exim", "Postfix"),
                            "postfix, spamassassin"),
                    new Row("build L -o X", "--no-parent-domains", NO_FLAGS, "no value"),
                    new Row(
                            "build L -o X",
                            "--for",
                            List.of("", "sam", "@x.example", "a b@x.example"),
                            "an address, local@domain"),
                    new Row(
                            "build L -o X",
                            "--recipient-delimiter",
                            List.of("", "x", "+-", "None"),
                            "none, or one of"),
                    new Row(
                            "build L -o X",
                            "--auth",
                            List.of("", "none", "dmarc", "spf,dkim", "SPF"),
                            "spf, dkim, any"),
                    new Row("build L -o X", "--filter", NO_KINDS, "classic, blocked"),
                    new Row("build L -o X", "--false-positive-rate", NO_RATES, "a number from"),
                    new Row("build L -o X", "--bits-per-address", NO_BITS, "a number from"),
                    new Row("build L -o X", "--seed", NO_NUMBERS, "a whole number from"),
                    new Row("build L -o X", "--memory", NO_SIZES, "a size such as"),
                    new Row("build L -o X", "--temp", NO_FILES, "the name of a file"),
                    new Row(
                            "check L a@b.example",
                            "--subaddress-delimiter",
                            List.of("", "x", "++", "\u00b1"),
                            "none, or one of"),
                    new Row(
                            "check L a@b.example",
                            "--recipient-delimiter",
                            List.of("", "x", "++", "\u00b1"),
                            "none, or one of"),
                    new Row(
                            "check L a@b.example",
                            "--to",
                            List.of("", "junk", "@b.example", "<>", "a@b\u001b"),
                            "an address"),
                    new Row(
                            "check L a@b.example",
                            "--at",
                            List.of(
                                    "",
                                    "now",
                                    "2027-02-30",
                                    "2027-1-31",
                                    "20270131",
                                    "2027-01-31T25:00Z",
                                    "2027-01-31T18:30",
                                    "+2027-01-31",
                                    "\u0662027-01-31"),
                            "2027-01-31"),
                    new Row(
                            "check L a@b.example",
                            "--auth",
                            List.of("", "tls", "any", "none", "spf,tls", "spf,", ",spf", "SPF"),
                            "spf, dkim"),
                    new Row(
                            "check L a@b.example",
                            "--require-authentication",
                            List.of("", "tls", "spf,dkim", "Any"),
                            "none, spf, dkim, any"),
                    new Row(
                            "check L a@b.example",
                            "--unwrap",
                            List.of("", "gmail", "batv,", "none,batv"),
                            "none, or one or more of"),
                    new Row("check L a@b.example", "--srs-secret", NO_FILES, "the name of a file"),
                    new Row("check L a@b.example", "--explain", NO_FLAGS, "no value"),
                    new Row("check L a@b.example", "--conf", NO_FILES, "the name of a file"),
                    new Row("check L a@b.example", "--as", List.of("", " "), "text without"),
                    new Row("check L a@b.example", "--from", List.of("", "junk"), "an address"),
                    new Row("info L", "--json", NO_FLAGS, "no value"),
                    new Row("info L", "--verbose", NO_FLAGS, "no value"),
                    new Row("verify L", "--against", NO_FILES, "the name of a file"),
                    new Row("plan", "--addresses", NO_COUNTS, "a whole number from 1"),
                    new Row("plan", "--demo", NO_FLAGS, "no value"),
                    new Row("plan --addresses 9", "--filter", NO_KINDS, "classic, blocked"),
                    new Row(
                            "plan --addresses 9",
                            "--false-positive-rate",
                            NO_RATES,
                            "a number from"),
                    new Row("plan --addresses 9", "--bits-per-address", NO_BITS, "a number from"),
                    new Row("compare", "--addresses", NO_COUNTS, "a whole number from 1"),
                    new Row("compare L", "--false-positive-rate", NO_RATES, "a number from"),
                    new Row("compare L", "--bits-per-address", NO_BITS, "a number from"),
                    new Row("compare L", "--filters-only", NO_FLAGS, "no value"),
                    new Row("compare L", "--seed", NO_NUMBERS, "a whole number from"),
                    new Row("compare L", "--rounds", NO_COUNTS, "a whole number from 3 to 1000"),
                    new Row("compare L", "--json", NO_FLAGS, "no value"),
                    new Row("compare L", "--output", NO_FILES, "the name of a file"));

    private static final List<String> NO_NAMES = List.of("", " ", "a\u001b");
    private static final List<String> NO_SERVERS =
            List.of("", "x", "ftp://x", "http://", "http://x/?y", "http://u:p@x", "http://a b");

    /** The options of all commands on living lists. */
    private static Stream<Row> rowsOfLivingLists() {
        return Stream.of(
                        "add a@b.example",
                        "remove a@b.example",
                        "rename a@b.example b@b.example",
                        "import L",
                        "export",
                        "status")
                .flatMap(
                        command ->
                                Stream.concat(
                                        Stream.of(
                                                new Row(command, "--list", NO_NAMES, "lower case")),
                                        rowsOfPlaces(command)));
    }

    /** The options that say where living lists are. */
    private static Stream<Row> rowsOfPlaces(String command) {
        return Stream.of(
                new Row(command, "--server", NO_SERVERS, "a URL such as"),
                new Row(command, "--token-file", NO_FILES, "the name of"),
                new Row(command, "--database", NO_NAMES, "text without"),
                new Row(command, "--user", NO_NAMES, "text without"),
                new Row(command, "--password-file", NO_FILES, "the name"),
                new Row(command, "--password-env", NO_NAMES, "text"));
    }

    static final List<Row> ROWS =
            Stream.of(
                            ROWS_OF_FILES.stream(),
                            // An import takes the same formats as a build.
                            ROWS_OF_FILES.stream()
                                    .filter(row -> row.command.equals("build L -o X"))
                                    .filter(row -> IMPORT_OPTIONS.contains(row.option))
                                    .map(
                                            row ->
                                                    new Row(
                                                            "import L",
                                                            row.option,
                                                            row.junk,
                                                            row.allowed)),
                            rowsOfLivingLists(),
                            rowsOfPlaces("check L a@b.example"),
                            Stream.of(
                                    new Row("add a@b.example", "--who", NO_NAMES, "text without"),
                                    new Row("add a@b.example", "--create", NO_FLAGS, "no value"),
                                    new Row("import L", "--create", NO_FLAGS, "no value"),
                                    new Row("remove a@b.example", "--who", NO_NAMES, "text"),
                                    new Row(
                                            "rename a@b.example b@b.example",
                                            "--who",
                                            NO_NAMES,
                                            "text"),
                                    new Row("import L", "--who", NO_NAMES, "text without"),
                                    new Row(
                                            "remove a@b.example",
                                            "--origin",
                                            List.of("", "x", "Admin"),
                                            "admin, user, learned"),
                                    new Row("status", "--json", NO_FLAGS, "no value")))
                    .flatMap(rows -> rows)
                    .toList();

    @BeforeEach
    void begin() throws IOException {
        Files.writeString(folder.resolve("L"), "alice@example.com\n");
    }

    @ParameterizedTest
    @FieldSource("ROWS")
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
                ROWS.stream()
                        .map(row -> row.command.split(" ", 2)[0] + " " + row.option)
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = new TreeSet<>(Set.of("info --verbose"));
        for (String command : AllCommands.NAMES) {
            AllCommands.command(command).spec().options().stream()
                    .filter(option -> !option.usageHelp() && !option.versionHelp())
                    .map(OptionSpec::longestName)
                    .forEach(option -> there.add(command + " " + option));
        }

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
            Stream.of(
                            "nonsense",
                            "help nonsense",
                            "build",
                            "build L",
                            "build L -o",
                            "build L -o X -o Y",
                            "status --list L --database lists",
                            "build L -o X --false-positive-rate 0.1 --bits-per-address 8",
                            "check",
                            "check L",
                            "check L a@b.example --nonsense",
                            "check L a@b.example --to a@b.example --to c@d.example",
                            "check L a@b.example --unwrap srs",
                            "check L a@b.example --srs-secret L",
                            "info",
                            "info L L",
                            "verify",
                            "plan",
                            "export",
                            "export L --list x",
                            "export --list x",
                            "export --database jdbc:sqlite:file:x",
                            "add --list x --server http://x",
                            "add a@b.example",
                            "add a@b.example --list x",
                            "add a@b.example --list x --server http://x --database"
                                    + " jdbc:sqlite:file:x",
                            "add a@b.example --list x --server http://x --who me",
                            "add a@b.example --list x --server http://x --create",
                            "add a@b.example --list x --server http://x --token-file x"
                                    + " --password-env x",
                            "add a@b.example --list x --server http://x --user me",
                            "add a@b.example --list x --database jdbc:sqlite:file:x --user me",
                            "add a@b.example --list x --database jdbc:sqlite:file:x --token-file x",
                            "add a@b.example --list x --database jdbc:sqlite:x?mode=ro",
                            "add a@b.example --list x --database jdbc:sqlite://x/y",
                            "add a@b.example --list x --database jdbc:sqlite::memory:",
                            "add a@b.example --list x --database jdbc:mysql://x/y --user me",
                            "add a@b.example --list x --database jdbc:postgresql://x/y",
                            "add a@b.example --list x --database jdbc:postgresql://x/y?user=a"
                                    + " --user me",
                            "remove --list x --server http://x",
                            "rename a@b.example --list x --server http://x",
                            "rename a@b.example @b.example --list x --server http://x",
                            "import --list x --server http://x",
                            "import L",
                            "status",
                            "status --list x",
                            "diff L",
                            "compare",
                            "compare L --addresses 5")
                    .toList();

    private static String help(String line) {
        String command = line.split(" ", 2)[0];
        return command.equals("nonsense") || command.equals("help")
                ? "whitelist --help"
                : "whitelist " + command + " --help";
    }
}
