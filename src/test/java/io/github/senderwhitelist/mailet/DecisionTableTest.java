package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.marked;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Part;
import io.github.senderwhitelist.mailet.verdict.Marks;
import io.github.senderwhitelist.tools.Folders;
import io.github.senderwhitelist.tools.TextResource;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rows of {@code decisions.txt}, each a mail judged as the mailet judges it. */
class DecisionTableTest {
    /**
     * The lists, which are written once for this Java: a test that is run by itself, as in a
     * mutation test, does not wait for them to stand still.
     */
    private static final Path FOLDER = Folders.ofThisJava("decisions");

    /** A row, by its columns. */
    record Row(
            String list,
            String sender,
            String from,
            String to,
            String known,
            String at,
            String options,
            String verdict,
            String reason) {
        static Row of(String line) {
            String[] cells = line.split("\\|", -1);
            assertThat(cells).as(line).hasSize(9);
            List<String> c = Stream.of(cells).map(String::strip).toList();
            return new Row(
                    c.get(0), c.get(1), c.get(2), c.get(3), c.get(4), c.get(5), c.get(6), c.get(7),
                    c.get(8));
        }

        Instant time() {
            return Instant.parse(at.isEmpty() ? "2026-11-21T12:00:00Z" : at);
        }
    }

    static List<Row> rows() {
        return TextResource.text(DecisionTableTest.class, "decisions.txt")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .skip(1)
                .map(Row::of)
                .toList();
    }

    /** Writes all lists before the first is loaded, so that only that one has to stand still. */
    @BeforeAll
    static void writeLists() throws IOException {
        for (Row row : rows()) {
            lists(row.list);
        }
    }

    @Test
    void shouldHaveEnoughRowsAndNoneTwice() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(150).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void shouldMatchAndDecideAsTheTableSays(Row row) throws Exception {
        SharedLists server = TestLists.at(FOLDER, row.time());
        SenderMayBeWhitelisted matcher = new SenderMayBeWhitelisted(server);
        TestLists.init(matcher, lists(row.list) + row.options.replaceAll("(?:^| )(?=.)", ";"));
        Map<String, String> values = new HashMap<>();
        for (String option : row.options.isEmpty() ? new String[0] : row.options.split(" ")) {
            values.put(option.split("=", 2)[0], option.split("=", 2)[1]);
        }
        values.put("whitelist", lists(row.list));
        SenderCheck check = new SenderCheck("test", server);
        check.open(new Parameters("test", values, new TestFiles(FOLDER)), "here.example"::equals);
        try {
            requireMatch(row, matcher);
            requireVerdict(row, check);
        } finally {
            check.close();
            matcher.destroy();
        }
    }

    /** Whom it did not match would not be verified, and so not be listed. */
    private static void requireMatch(Row row, SenderMayBeWhitelisted matcher) throws Exception {
        Mail mail = mail(row);
        if (row.verdict.equals("not-listed")) {
            assertThat(matcher.match(mail)).isIn(List.of(), mail.getRecipients());
        } else {
            assertThat(matcher.match(mail)).isEqualTo(mail.getRecipients());
        }
    }

    private static void requireVerdict(Row row, SenderCheck check) throws Exception {
        Mail mail = mail(row);
        MailVerdicts verdicts = check.judge(mail);
        Part listed = verdicts.listed();
        Part others = verdicts.others();
        if (row.verdict.equals("split")) {
            assertThat(
                            names(Objects.requireNonNull(listed).recipients())
                                    + " "
                                    + reason(Objects.requireNonNull(others).verdict()))
                    .isEqualTo(row.reason);
            assertThat(listed.each().size() + others.each().size())
                    .isEqualTo(mail.getRecipients().size());
            return;
        }
        assertThat(row.verdict.equals("listed") ? others : listed).isNull();
        Part whole = verdicts.whole();
        Marks.verdict(mail, whole);
        assertThat(marked(mail, "verdict") + " " + marked(mail, "reason"))
                .isEqualTo(row.verdict + " " + row.reason);
    }

    /** Returns the lists of a cell, which it writes if they are not there. */
    static String lists(String cell) throws IOException {
        List<String> urls = new ArrayList<>();
        for (String list : cell.split(" / ", -1)) {
            String name = Integer.toHexString(list.hashCode()) + ".txt";
            Path file = FOLDER.resolve(name);
            if (!Files.exists(file)) {
                Files.writeString(file, list.replace(";", "\n") + "\n");
            }
            urls.add("file://" + name);
        }
        return String.join(",", urls);
    }

    private static Mail mail(Row row) throws Exception {
        return Known.of(row.known)
                .mail(
                        row.sender.equals("<>") ? "" : row.sender,
                        row.from.isEmpty() ? List.of() : List.of(row.from.split(" && ", -1)),
                        (row.to.isEmpty() ? "me@here.example" : row.to).split(","));
    }

    private static String names(List<MailAddress> recipients) {
        return recipients.stream()
                .map(MailAddress::asString)
                .sorted()
                .collect(Collectors.joining(","));
    }

    private static String reason(@org.jspecify.annotations.Nullable Verdict verdict) {
        return Objects.requireNonNull(verdict).reason().label();
    }
}
