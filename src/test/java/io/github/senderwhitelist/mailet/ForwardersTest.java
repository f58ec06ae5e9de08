package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.DecisionTableTest.Row;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
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

        void decides(String list, String from, String options, String verdict, String reason)
                throws Exception {
            String all = (options + (unwrap.isEmpty() ? "" : " unwrap=" + unwrap)).strip();
            new DecisionTableTest()
                    .shouldMatchAndDecideAsTheTableSays(
                            new Row(list, sender, from, "", "spf=pass", "", all, verdict, reason));
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

    @ParameterizedTest
    @MethodSource("rows")
    void shouldListForItsOwnerAlone(Rewriting row) throws Exception {
        if (row.isForwarded()) {
            for (String account : List.of("sam", "bounces", "srs0", "alice")) {
                String listed = account + row.domain();
                for (String all : List.of("none", "batv", "verp", "batv,verp")) {
                    String unwrap = "unwrap=" + all;
                    row.decides(listed, "eve@evil.example", unwrap, "not-listed", "stranger");
                    String eve = "eve" + row.domain();
                    row.decides(listed + USERS, eve, unwrap, "not-listed", "stranger");
                }
            }
        } else {
            row.decides(row.owner + " auth=spf", "eve@evil.example", "", "listed", "listed");
        }
        row.decides(row.sender + " auth=spf", "eve@evil.example", "", "listed", "listed");
    }

    @ParameterizedTest
    @MethodSource("rows")
    void shouldConfirmFromForItsOwnerAlone(Rewriting row) throws Exception {
        String boss = "boss" + row.domain();
        for (String list : List.of(boss + " auth=any", boss + USERS + " auth=any")) {
            if (row.isForwarded()) {
                row.decides(list, boss, "sender=from", "not-listed", "unauthenticated");
            } else {
                row.decides(list, boss, "sender=from", "listed", "listed");
            }
        }
    }
}
