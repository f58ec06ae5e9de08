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
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    /** Commands of the build by their names in the profiles, all of them and no other. */
    @Test
    void shouldNameTheCommandsOfTheBuild() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));
        Set<String> commands =
                Pattern.compile("<id>([^<]+)</id>\\s*<configuration>")
                        .matcher(pom.substring(pom.indexOf("<id>bench</id>")))
                        .results()
                        .map(id -> id.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> documented =
                Pattern.compile("(?:exec:exec@|`@(?=fuzz-))([a-z-]+)")
                        .matcher(Files.readString(README))
                        .results()
                        .map(id -> id.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(commands);
    }

    @Test
    void shouldHaveExamples() throws IOException {
        assertThat(examples()).isNotEmpty();
    }
}
