package io.github.senderwhitelist;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What the front page and the manual show is what the program does. */
class ReadmeTest {
    /** A file that examples below it read, or commands and what they print. */
    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^```(text (\\S+)|console)\n(.*?)^```$");

    private static final Pattern COMMAND = Pattern.compile("(?m)^\\$ (.+)\n((?:(?!\\$ ).*\n)*)");

    private static final Pattern PROGRAM = Pattern.compile("^target/whitelist ");

    /** Times and digests, which are others each time. */
    private static final Pattern CHANGING =
            Pattern.compile(
                    "\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z|\\b[0-9a-f]{12}(?:[0-9a-f]{52})?\\b"
                            + "|\\b\\d+\\.\\d s$",
                    Pattern.MULTILINE);

    @TempDir Path folder;

    static List<Path> pagesWithExamples() throws IOException {
        List<Path> pages =
                Docs.pages().stream()
                        .filter(page -> Docs.read(page).contains("```console\n"))
                        .toList();
        assertThat(pages).hasSizeGreaterThan(5);
        return pages;
    }

    /** Runs the examples of a page one after the other, as somebody would who reads it. */
    @ParameterizedTest
    @MethodSource("pagesWithExamples")
    void shouldPrintWhatThePageShows(Path page) throws Exception {
        Files.createDirectories(folder.resolve("target"));
        Files.createDirectories(folder.resolve("conf"));
        for (String file : List.of("conf/whitelist.txt", "conf/whitelists.xml")) {
            Files.copy(Path.of(file), folder.resolve(file));
        }
        Process commands =
                start(ChildJava.running(Commands.class, "--enable-native-access=ALL-UNNAMED"));
        for (MatchResult block : BLOCK.matcher(Docs.read(page)).results().toList()) {
            if (block.group(2) != null) {
                Files.writeString(folder.resolve(block.group(2)), block.group(3));
            } else {
                for (MatchResult example : COMMAND.matcher(block.group(3)).results().toList()) {
                    assertThat(stable(run(example.group(1), commands)))
                            .as(example.group(1))
                            .isEqualTo(stable(example.group(2)));
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
        String command = PROGRAM.matcher(line).replaceFirst("");
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

    @Test
    void shouldShowTheCommandThatRunsTheTests() throws IOException {
        String command = Files.readAllLines(Path.of(".ci/run")).getLast();
        assertThat(command).startsWith("mvn ");
        assertThat(Docs.read(Docs.FRONT)).contains("`" + command + "`", "\nmvn -Prun verify\n");
    }
}
