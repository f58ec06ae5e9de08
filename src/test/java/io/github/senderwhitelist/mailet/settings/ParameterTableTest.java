package io.github.senderwhitelist.mailet.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class ParameterTableTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|");

    @Test
    void shouldHaveEveryParameterInTheManualAndNoOther() throws IOException {
        Set<String> documented =
                ROW.matcher(Docs.page("parameters.md"))
                        .results()
                        .map(row -> row.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = new TreeSet<>(Parameters.NAMES);
        known.addAll(Set.of("onWhitelisted", "onNotWhitelisted", "header", "headerKey"));

        assertThat(documented).isEqualTo(known);
    }

    @Test
    void shouldHaveEveryReasonInTheManualInItsOrder() throws IOException {
        String page = Docs.page("verdicts.md");
        int start = page.indexOf("| reason | meaning |");
        List<String> documented =
                Pattern.compile("`([a-z-]+)`(?=[^|]*\\|[^|]*\\|\n)")
                        .matcher(page.substring(start, 1 + page.indexOf("\n\n", start)))
                        .results()
                        .map(reason -> reason.group(1))
                        .toList();

        assertThat(documented)
                .containsExactlyElementsOf(
                        Arrays.stream(Reason.values()).map(Reason::label).toList());
    }
}
