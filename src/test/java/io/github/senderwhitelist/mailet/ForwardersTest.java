package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.DecisionTableTest.Row;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The table of the manual that says whose mail an envelope sender stands for. */
class ForwardersTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final String USERS = " to=me@here.example origin=user";

    /**
     * A row.
     *
     * @param owner whose mail it is, or nobody's
     */
    record Rewriting(String sender, String unwrap, String owner) {
        String domain() {
            return sender.substring(sender.indexOf('@'));
        }

        boolean isForwarded() {
            return owner.equals("nobody");
        }

        Row row(String list, String from, String options, String verdict, String reason) {
            String all = (options + (unwrap.isEmpty() ? "" : " unwrap=" + unwrap)).strip();
            return new Row(list, sender, from, "", "spf=pass", "", all, verdict, reason);
        }

        /** Returns what the table of decisions would have of it. */
        List<Row> decisions() {
            List<Row> rows = new ArrayList<>();
            rows.add(row(sender + " auth=spf", "eve@evil.example", "", "listed", "listed"));
            if (isForwarded()) {
                for (String account : List.of("sam", "bounces", "srs0", "alice")) {
                    String listed = account + domain();
                    for (String all : List.of("none", "batv", "verp", "batv,verp")) {
                        String unwrap = "unwrap=" + all;
                        rows.add(row(listed, "eve@evil.example", unwrap, "not-listed", "stranger"));
                        String eve = "eve" + domain();
                        rows.add(row(listed + USERS, eve, unwrap, "not-listed", "stranger"));
                    }
                }
            } else {
                rows.add(row(owner + " auth=spf", "eve@evil.example", "", "listed", "listed"));
            }
            String boss = "boss" + domain();
            String verdict = isForwarded() ? "not-listed" : "listed";
            String reason = isForwarded() ? "unauthenticated" : "listed";
            for (String list : List.of(boss + " auth=any", boss + USERS + " auth=any")) {
                rows.add(row(list, boss, "sender=from", verdict, reason));
            }
            return rows;
        }
    }

    static List<Rewriting> rows() throws IOException {
        String page = Docs.page("sender-and-authentication.md");
        return page.substring(page.indexOf("| written by |"))
                .lines()
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .flatMap(ForwardersTest::row)
                .toList();
    }

    private static Stream<Rewriting> row(String line) {
        String[] cells = line.split("\\|", -1);
        String unwrap = codes(cells[3]).findFirst().orElse("");
        String owner =
                cells[4].strip().startsWith("nobody")
                        ? "nobody"
                        : codes(cells[4]).findFirst().orElseThrow();
        return codes(cells[2]).map(sender -> new Rewriting(sender, unwrap, owner));
    }

    private static Stream<String> codes(String cell) {
        return CODE.matcher(cell).results().map((MatchResult code) -> code.group(1));
    }

    @Test
    void shouldHaveRowsOfBothKinds() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(17).extracting("owner").contains("nobody");
    }

    /** Writes all lists before the first is loaded, so that only that one has to stand still. */
    @BeforeAll
    static void writeLists() throws IOException {
        for (Rewriting row : rows()) {
            for (Row decision : row.decisions()) {
                DecisionTableTest.lists(decision.list());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void shouldListAndConfirmForItsOwnerAlone(Rewriting row) throws Exception {
        for (Row decision : row.decisions()) {
            new DecisionTableTest().shouldMatchAndDecideAsTheTableSays(decision);
        }
    }
}
