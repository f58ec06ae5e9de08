package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A build without options needs no parser of options, and does the same. */
class BuildTest {
    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"build a -o b", "build - -o b", "build -o b a", "build a -o b c"})
    void shouldTakeListsAndTheSnapshotToWrite(String arguments) {
        assertThat(Build.withoutOptions(arguments.split(" "))).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "check a -o b",
                "build",
                "build a",
                "build -o b",
                "build a -o",
                "build a -o -x",
                "build a -o -v",
                "build a -o b -o c",
                "build a -o b --seed 1",
                "build --help -o b",
                "build a --output b",
                "build -- a -o b"
            })
    void shouldLeaveAllElseToTheParser(String arguments) {
        assertThat(Build.withoutOptions(arguments.split(" "))).isNull();
    }

    @Test
    void shouldLeaveNamesThatAreNoneToTheParser() {
        assertThat(Build.withoutOptions("build", "a", "-o", "")).isNull();
        assertThat(Build.withoutOptions("build", "a", "-o", "b\0")).isNull();
    }

    @Test
    void shouldBuildAndPrintWhatTheParsedCommandDoes() throws IOException {
        String list = folder.resolve("a.txt").toString();
        Files.writeString(Path.of(list), "bob@example.com\n@example.org\n");
        Path target = folder.resolve("a.swl");

        String plain = output("build", list, "-o", target.toString());
        long size = Files.size(target);
        String parsed = output("build", list, "--output", target.toString());

        assertThat(plain).contains("1 addresses, 1 domain entries").isEqualTo(parsed);
        assertThat(size).isEqualTo(Files.size(target));
    }

    /** Runs a command and returns what it prints, but for the time it took. */
    private static String output(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(Main.run(out, arguments)).isEqualTo(Main.DONE);
        return out.toString(StandardCharsets.UTF_8).replaceAll("[0-9.]+ s\\s*$", "");
    }
}
