package io.github.senderwhitelist.mailet.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class ParameterTableTest {
    private static final String HEAD =
            "| parameter | meaning | values | default |\n|---|---|---|---|";

    @Test
    void shouldHaveTheTablesOfTheManual() throws IOException {
        assertThat(tables("parameters.md"))
                .containsExactly(
                        table(Settings.OF_MAILET), table(List.of(Settings.MAX_SIGNATURES)));
        assertThat(tables("living-lists.md")).containsExactly(table(Settings.OF_DATABASES));
        assertThat(tables("learning.md"))
                .containsExactly(
                        table(Settings.OF_LEARNING),
                        table(Settings.OF_FOLDERS),
                        table(Settings.OF_COMMANDS_BY_MAIL));
    }

    private static List<String> tables(String page) throws IOException {
        return Pattern.compile(Pattern.quote(HEAD) + "(?:\n\\|.*)*")
                .matcher(Docs.page(page))
                .results()
                .map(MatchResult::group)
                .toList();
    }

    private static String table(List<Setting<?>> settings) {
        return HEAD
                + settings.stream()
                        .map(setting -> "\n" + setting.row())
                        .collect(Collectors.joining());
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
