package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class ParameterTableTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|");

    @Test
    void shouldHaveEveryParameterInTheReadmeAndNoOther() throws IOException {
        Set<String> documented =
                ROW.matcher(Files.readString(Path.of("README.md")))
                        .results()
                        .map(row -> row.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = new TreeSet<>(Parameters.NAMES);
        known.addAll(Set.of("onWhitelisted", "onNotWhitelisted"));

        assertThat(documented).isEqualTo(known);
    }
}
