package io.github.senderwhitelist;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.ChildJava;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the README shows is what the program does. */
class ReadmeTest {
    private static final Path README = Path.of("README.md");
    private static final Pattern CONSOLE =
            Pattern.compile("```console\n\\$ java -jar \\S+ ([^\n]+)\n(.*?)```", Pattern.DOTALL);

    static Stream<MatchResult> examples() throws IOException {
        return CONSOLE.matcher(Files.readString(README)).results();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void shouldPrintWhatTheReadmeShows(MatchResult example) throws Exception {
        List<String> command = ChildJava.command();
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("io.github.senderwhitelist.cli.Main");
        command.addAll(Arrays.asList(example.group(1).split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (InputStream out = process.getInputStream()) {
            String output = new String(out.readAllBytes(), StandardCharsets.UTF_8);

            assertThat(output).isEqualTo(example.group(2));
        }
    }

    @Test
    void shouldHaveExamples() throws IOException {
        assertThat(examples()).isNotEmpty();
    }
}
