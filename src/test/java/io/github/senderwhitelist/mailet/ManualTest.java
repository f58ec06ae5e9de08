package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.Parameters.Read;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The manual's tables, compared with the code. */
class ManualTest {
    private static final String HEAD =
            "| parameter | meaning | values | default |\n|---|---|---|---|\n";
    private static final Pattern TABLE = Pattern.compile(Pattern.quote(HEAD) + "((?:\\|.*\n)*)");
    private static final Pattern ROW =
            Pattern.compile("\\| `(\\w+)` \\| [^|]+ \\| ((?:[^|]|\\\\\\|)+) \\| ([^|]+) \\|");

    private static final Pattern VALUE = Pattern.compile("`([^`…]+)…?`|([0-9][0-9.]*)");

    @RegisterExtension final TestServer server = new TestServer(TestServer.living("own"));

    /** What the manual says of a parameter. */
    private record Row(String values, String byDefault) {}

    /** Returns the tables of a page: what each says of parameters, by their names. */
    private static List<Map<String, Row>> tables(String page) throws IOException {
        return TABLE.matcher(Docs.page(page)).results().map(ManualTest::rows).toList();
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

    /** Fails if a table says anything else of parameters than what was read of them. */
    private static void assertSays(Map<String, Row> rows, Map<String, Read> read) {
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

    /** Returns what something reads that is given one parameter. */
    private Map<String, Read> read(String name, String value, Consumer<Parameters> reader) {
        Parameters parameters = new Parameters("test", Map.of(name, value), server.files);
        reader.accept(parameters);
        return new HashMap<>(parameters.read());
    }

    @Test
    void parametersOfChecksShouldBeThoseOfTheManual() throws Exception {
        server.write("list.txt", "alice@example.com\n");
        SenderWhitelist mailet = new SenderWhitelist(server.shared);
        SenderIsWhitelisted matcher = new SenderIsWhitelisted(server.shared);
        SenderMayBeWhitelisted before = new SenderMayBeWhitelisted(server.shared);
        server.atTheEnd(mailet::destroy);
        server.atTheEnd(matcher::destroy);
        server.atTheEnd(before::destroy);

        Map<String, Read> ofMailet = read("whitelist", "file://list.txt", mailet::open);
        Map<String, Read> ofMatcher = read("whitelist", "file://list.txt", matcher::open);
        Map<String, Read> ofBefore = read("whitelist", "file://list.txt", before::open);

        List<Map<String, Row>> manual = tables("parameters.md");
        assertSays(manual.getFirst(), ofMailet);
        ofMailet.keySet().removeAll(List.of("onWhitelisted", "onNotWhitelisted", "header"));
        assertThat(ofMatcher.keySet()).containsAll(ofMailet.keySet());
        ofMatcher.keySet().removeAll(ofMailet.keySet());
        assertSays(manual.get(1), ofMatcher);
        ofBefore.keySet().removeAll(ofMailet.keySet());
        assertSays(manual.getLast(), ofBefore);
    }

    @Test
    void parametersOfLearningShouldBeThoseOfTheManual() throws Exception {
        LearnCorrespondents learning = new LearnCorrespondents(server.shared);
        WhitelistByMail byMail = new WhitelistByMail(server.shared);
        server.atTheEnd(learning::destroy);
        server.atTheEnd(byMail::destroy);
        Mailboxes james = new Mailboxes();
        Consumer<Parameters> folders =
                all -> new LearnFromFolders(server.shared, james.messages(), james.manager(), all);

        List<Map<String, Row>> manual = tables("learning.md");
        assertSays(manual.get(0), read("list", "own", learning::open));
        assertSays(manual.get(1), read("list", "own", folders));
        assertSays(manual.get(2), read("list", "own", byMail::open));
    }

    @Test
    void parametersOfListsShouldBeThoseOfTheManual() throws Exception {
        Parameters defined =
                new Parameters(
                        "a", Map.of("user", "u", "source", "jdbc:postgresql://h/d"), server.files);
        ListParameters.definition("a", defined);

        assertSays(tables("living-lists.md").getFirst(), defined.read());
    }

    @Test
    void reasonsShouldStandInTheManualInTheirOrder() throws IOException {
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
