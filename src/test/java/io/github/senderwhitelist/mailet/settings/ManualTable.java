package io.github.senderwhitelist.mailet.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.settings.Parameters.Read;
import io.github.senderwhitelist.tools.Docs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A table of parameters in the manual.
 *
 * @param rows the values and the default that it says, by the names of parameters
 */
public record ManualTable(Map<String, Row> rows) {
    private static final String HEAD =
            "| parameter | meaning | values | default |\n|---|---|---|---|\n";
    private static final Pattern TABLE = Pattern.compile(Pattern.quote(HEAD) + "((?:\\|.*\n)*)");
    private static final Pattern ROW =
            Pattern.compile("\\| `(\\w+)` \\| [^|]+ \\| ((?:[^|]|\\\\\\|)+) \\| ([^|]+) \\|");

    private static final Pattern VALUE = Pattern.compile("`([^`…]+)…?`|([0-9][0-9.]*)");

    /** What the manual says of a parameter. */
    public record Row(String values, String byDefault) {}

    /** Returns the tables of a page. */
    public static List<ManualTable> of(String page) throws IOException {
        return TABLE.matcher(Docs.page(page))
                .results()
                .map(table -> new ManualTable(rows(table)))
                .toList();
    }

    private static Map<String, Row> rows(MatchResult table) {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (String line : table.group(1).split("\n", -1)) {
            if (!line.isEmpty()) {
                var row = ROW.matcher(line);
                assertThat(row.matches()).as(line).isTrue();
                rows.put(row.group(1), new Row(row.group(2), row.group(3)));
            }
        }
        return rows;
    }

    /**
     * Fails if a row has a value or a number that messages do not allow, or lacks one of some
     * words.
     */
    private static void assertSays(String name, String values, String allowed) {
        if (allowed.matches("\\w+(, \\w+)*")) {
            assertThat(values.replace("`", "")).as(name).isEqualTo(allowed);
        }
        assertThat(
                        VALUE.matcher(values)
                                .results()
                                .map(value -> value.group().replaceAll("[`…]", "")))
                .as(name)
                .allSatisfy(value -> assertThat(allowed).contains(value));
    }

    /** Fails if the table says anything else of parameters than what was read of them. */
    public void assertSays(Map<String, Read> read) {
        assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(read.keySet());
        rows.forEach(
                (name, row) -> {
                    Read how = Objects.requireNonNull(read.get(name), name);
                    assertSays(name, row.values.replace("\\|", "|"), how.type().allowed());
                    if (how.defaultValue() != null) {
                        assertThat(row.byDefault)
                                .as(name)
                                .isEqualTo("`" + how.defaultValue() + "`");
                    } else {
                        assertThat(row.byDefault).as(name).doesNotStartWith("`");
                    }
                });
    }
}
