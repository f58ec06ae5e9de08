package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.decision.Reason;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class ParameterTableTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|");

    @Test
    void shouldHaveEveryParameterInTheReadmeAndNoOther() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        int start = readme.indexOf("## Parameters");
        Set<String> documented =
                ROW.matcher(readme.substring(start, readme.indexOf("\n## ", start)))
                        .results()
                        .map(row -> row.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = new TreeSet<>(Parameters.NAMES);
        known.addAll(Set.of("onWhitelisted", "onNotWhitelisted"));

        assertThat(documented).isEqualTo(known);
    }

    @Test
    void shouldHaveEveryReasonInTheReadmeInItsOrder() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        int start = readme.indexOf("| reason | meaning |");
        List<String> documented =
                Pattern.compile("`([a-z-]+)`(?=[^|]*\\|[^|]*\\|\n)")
                        .matcher(readme.substring(start, 1 + readme.indexOf("\n\n", start)))
                        .results()
                        .map(reason -> reason.group(1))
                        .toList();

        assertThat(documented)
                .containsExactlyElementsOf(
                        Arrays.stream(Reason.values()).map(Reason::label).toList());
    }
}
