package io.github.senderwhitelist;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;

import io.github.senderwhitelist.cli.Commands;
import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Holds the pages that people read to their links, to what they name of the code, and to what the
 * program prints.
 */
class DocsTest {
    private static final Pattern CODE_BLOCK =
            Pattern.compile("(?ms)^ *```.*?^ *```\\h*$|<!--.*?-->");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");
    private static final Pattern NO_ANCHOR = Pattern.compile("[^\\p{L}\\p{N}\\p{M}_ -]");

    private static final String TESTS_OF_SAFETY = "developers/learning-safety-tests.md";
    private static final Pattern ATTEMPT = Pattern.compile("(?ms)^- \\*\\*(.+?)\\*\\*");
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");

    private static final Path SOURCES = Path.of("src/main/java/io/github/senderwhitelist");
    private static final Pattern CLASS_IN_ROOM = Pattern.compile("`((?:[a-z]+/)+[A-Z]\\w+)`");

    /** A file that examples below it read, or commands and what they print. */
    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^```(text (\\S+)|console)\n(.*?)^```$");

    private static final Pattern COMMAND = Pattern.compile("(?m)^\\$ (.+)\n((?:(?!\\$ ).*\n)*)");

    /** Times and digests, which are others each time. */
    private static final Pattern CHANGING =
            Pattern.compile(
                    "\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z|\\b[0-9a-f]{12}(?:[0-9a-f]{52})?\\b"
                            + "|\\b\\d+\\.\\d s$",
                    Pattern.MULTILINE);

    @TempDir Path folder;

    static List<Path> pages() throws IOException {
        return Docs.pages();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldHaveLinksThatLeadSomewhere(Path page) {
        assertThat(links(page))
                .allMatch(
                        target ->
                                target.matches("(?:https?|mailto):.*")
                                        || leadsSomewhere(page, target));
    }

    private static List<String> links(Path page) {
        String prose = CODE.matcher(withoutCodeBlocks(page)).replaceAll("code");
        return LINK.matcher(prose).results().map(link -> link.group(1)).toList();
    }

    private static boolean leadsSomewhere(Path page, String target) {
        int hash = target.indexOf('#');
        String name = hash < 0 ? target : target.substring(0, hash);
        Path file = name.isEmpty() ? page : page.resolveSibling(name).normalize();
        return Files.exists(file)
                && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
    }

    /** The anchors that GitHub gives to headings; the second of a name ends in -1, and so on. */
    private static List<String> anchors(Path page) {
        List<String> anchors = new ArrayList<>();
        for (MatchResult heading : HEADING.matcher(withoutCodeBlocks(page)).results().toList()) {
            String anchor = anchor(heading.group(1));
            int same = 0;
            while (anchors.contains(anchor + (same == 0 ? "" : "-" + same))) {
                same++;
            }
            anchors.add(anchor + (same == 0 ? "" : "-" + same));
        }
        return anchors;
    }

    private static String anchor(String heading) {
        String lower = heading.strip().toLowerCase(Locale.ROOT);
        return NO_ANCHOR.matcher(lower).replaceAll("").replace(' ', '-');
    }

    /** The pages about adversaries name the same attempts, so that none is without its test. */
    @Test
    void shouldTryWhatAnAdversaryMayTry() throws IOException {
        assertThat(attempts("learning-safety.md"))
                .hasSizeGreaterThan(10)
                .isEqualTo(attempts(TESTS_OF_SAFETY));
    }

    private static List<String> attempts(String page) throws IOException {
        return ATTEMPT.matcher(Docs.page(page))
                .results()
                .map(attempt -> attempt.group(1).replaceAll("\\s+", " "))
                .toList();
    }

    /** Each test that the page about them names must be there, some as a scenario of a class. */
    @Test
    void shouldNameTestsThatAre() throws IOException {
        StringBuilder tests = new StringBuilder();
        for (String folder : List.of("src/test", "integration-tests")) {
            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                files.filter(file -> file.toString().matches(".*\\.(java|txt)"))
                        .forEach(file -> tests.append(Docs.read(file)));
            }
        }

        assertThat(TEST.matcher(Docs.page(TESTS_OF_SAFETY)).results().toList())
                .hasSizeGreaterThan(10)
                .allMatch(test -> tests.indexOf("class " + test.group(1) + " ") >= 0)
                .allMatch(
                        test ->
                                tests.indexOf("void " + test.group(2) + "(") >= 0
                                        || tests.indexOf("\n== " + test.group(2) + "\n") >= 0);
    }

    /** Pages name classes as room/Class, so that a class that moves takes its name along. */
    @Test
    void shouldNameClassesThatAreThere() throws IOException {
        List<String> named =
                CLASS_IN_ROOM.matcher(Docs.text()).results().map(name -> name.group(1)).toList();

        assertThat(named)
                .isNotEmpty()
                .allSatisfy(name -> assertThat(SOURCES.resolve(name + ".java")).exists());
    }

    private static String withoutCodeBlocks(Path page) {
        return CODE_BLOCK.matcher(Docs.read(page)).replaceAll("");
    }

    private static List<Path> pagesWithExamples() throws IOException {
        List<Path> pages =
                Docs.pages().stream()
                        .filter(page -> Docs.read(page).contains("```console\n"))
                        .toList();
        assertThat(pages).hasSizeGreaterThan(5);
        return pages;
    }

    /** Runs the examples of all pages one after the other, each page's in a folder like new. */
    @Test
    void shouldPrintWhatThePagesShow() throws Exception {
        Process commands =
                start(ChildJava.running(Commands.class, "--enable-native-access=ALL-UNNAMED"));
        for (Path page : pagesWithExamples()) {
            MoreFiles.deleteDirectoryContents(folder, RecursiveDeleteOption.ALLOW_INSECURE);
            Files.createDirectories(folder.resolve("target"));
            Files.createDirectories(folder.resolve("conf"));
            for (String file : List.of("conf/whitelist.txt", "conf/whitelists.xml")) {
                Files.copy(Path.of(file), folder.resolve(file));
            }
            for (MatchResult block : BLOCK.matcher(Docs.read(page)).results().toList()) {
                if (block.group(2) != null) {
                    Files.writeString(folder.resolve(block.group(2)), block.group(3));
                } else {
                    for (MatchResult example : COMMAND.matcher(block.group(3)).results().toList()) {
                        assertThat(stable(run(example.group(1), commands)))
                                .as("%s: %s", page, example.group(1))
                                .isEqualTo(stable(example.group(2)));
                    }
                }
            }
        }
        commands.destroy();
    }

    private static String stable(String output) {
        return CHANGING.matcher(output).replaceAll("(changes)");
    }

    private Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    /** Runs a line that is shown, and returns what it prints. */
    private String run(String line, Process commands) throws IOException {
        String command = line.replaceFirst("^target/whitelist ", "");
        if (command.equals(line)) {
            return new String(
                    start(List.of("sh", "-c", line)).getInputStream().readAllBytes(), UTF_8);
        }
        // A shell would read anything else as something other than words.
        assertThat(line).matches("[\\w ./^@+:-]+");
        commands.outputWriter(UTF_8).append(command).append('\n').flush();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        for (int b = commands.getInputStream().read();
                b != Commands.END;
                b = commands.getInputStream().read()) {
            assertThat(b).as("the program ended: %s", printed.toString(UTF_8)).isNotNegative();
            printed.write(b);
        }
        return printed.toString(UTF_8);
    }
}
