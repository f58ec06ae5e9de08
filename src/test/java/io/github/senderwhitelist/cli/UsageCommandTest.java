package io.github.senderwhitelist.cli;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.LineUse;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.living.ListRecord.Edit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** {@code whitelist usage}, of a list in a database and of one in a file. */
class UsageCommandTest extends CommandTest {
    private static final String OLD = "2020-01-01";

    @BeforeEach
    void define() throws IOException {
        define(
                """
                <whitelist name="own"><source>jdbc:sqlite:file://db.db</source></whitelist>
                <whitelist name="vip"><source>file://conf/vip.txt</source>
                  <workDirectory>file://work</workDirectory></whitelist>
                """);
    }

    /** Has lines of a list be used on a day, the first once, the second twice, and so on. */
    private void use(String database, String list, String day, String... lines) throws Exception {
        try (Database opened = Database.sqlite(folder.resolve(database), Duration.ofSeconds(20))) {
            opened.record(list).create();
            List<LineUse> uses = new ArrayList<>();
            for (String line : lines) {
                LocalDate on = LocalDate.parse(day);
                opened.record(list).write(List.of(Edit.put(entry(line))), "test");
                int times = uses.size() + 1;
                uses.add(new LineUse(UsedLine.of(entry(line)), times, times - 1, on, on));
            }
            UsageTable usage = opened.usage(list);
            usage.begin();
            usage.add(uses, true);
        }
    }

    @Test
    void shouldStayWithTheEntriesOfAUserWhoIsRenamed() throws Exception {
        use("db.db", "own", OLD, "a@x.org to=u@here.example origin=user");
        assertThat(inJames("rename", "u@here.example", "v@here.example")).as(err()).isZero();
        assertThat(usage("own")).isZero();
        assertThat(out()).startsWith("a@x.org to=v@here.example\tuser\t1\t");
    }

    /** Has usage be counted since 1970. */
    private void age(String database) throws Exception {
        try (var connection =
                        DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(database));
                var statement = connection.createStatement()) {
            statement.execute("update whitelist_counting set since = 1");
        }
    }

    private int usage(String... arguments) {
        List<String> line = new ArrayList<>(List.of("usage"));
        line.addAll(List.of(arguments));
        return inJames(line.toArray(new String[0]));
    }

    @Test
    void shouldPrintUsedLinesAndThoseThatRescued() throws Exception {
        use("db.db", "own", OLD, "a@x.org", "\"!b\\\\\"@x.org to=u@here.example origin=user");
        assertThat(usage("own")).as(err()).isZero();
        assertThat(out())
                .isEqualTo(
                        """
                        "!b\\\\"@x.org to=u@here.example\tuser\t2\t1\t2020-01-01\t2020-01-01
                        a@x.org\tadmin\t1\t0\t2020-01-01\t2020-01-01
                        """);
        assertThat(err()).startsWith("counted since 20").doesNotContain("server");
        assertThat(usage("own", "--rescued", "--json")).isZero();
        assertThat(out())
                .contains(
                        "\"server\": null, \"lines\": [\n"
                                + "  {\"entry\": \"\\\"!b\\\\\\\\\\\"@x.org to=u@here.example\","
                                + " \"origin\": \"user\", \"used\": 2, \"rescued\": 1,");
    }

    @Test
    void shouldPrintUnusedEntriesOnceThatIsKnown() throws Exception {
        use("db.db", "own", OLD, "a@x.org");
        use(
                "db.db",
                "own",
                LocalDate.now(ZoneOffset.UTC).minusDays(3).toString(),
                "b@x.org",
                "c@x.org");
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 2_500; i++) {
            many.append("n").append(i).append("@x.org\n");
        }
        Files.writeString(folder.resolve("list"), many);
        Main.run(out, "import", "own", "--conf", path("conf"), path("list"));
        assertThat(usage("own", "--unused-for", "30d")).isEqualTo(2);
        assertThat(out()).isEmpty();
        assertThat(err()).startsWith("own: not known yet: usage is counted since ").hasLineCount(1);

        age("db.db");
        assertThat(usage("own", "--unused-for", "30d")).as(err()).isZero();
        assertThat(out().lines())
                .hasSize(2_501)
                .startsWith("a@x.org\tadmin\t1\t0\t2020-01-01\t2020-01-01")
                .contains("n0@x.org\tadmin\t0\t0\t-\t-")
                .noneMatch(line -> line.startsWith("b@"));
    }

    @Test
    void shouldFindWhatIsCountedOfAListInAFile() throws Exception {
        Path list = folder.resolve("conf/vip.txt");
        Files.writeString(list, "a@x.org\nb@x.org\n");
        assertThat(usage("vip")).isEqualTo(2);
        assertThat(err()).contains("usage.db: no such file");

        use("work/usage.db", "/other", OLD, "a@x.org");
        assertThat(usage("vip")).isEqualTo(2);
        assertThat(err()).contains("its use is not counted in ").contains("only that of: /other");

        use("work/usage.db", list.toString(), OLD, "a@x.org");
        use("var/whitelist/usage.db", list.toString(), OLD, "b@x.org");
        assertThat(usage("vip", "--json")).as(err()).isZero();
        assertThat(out()).contains("\"server\": \"this server only\"", "a@x.org");
        assertThat(usage(list.toString())).as(err()).isZero();
        assertThat(out()).startsWith("b@x.org\t");
        assertThat(err()).contains(", this server only");

        age("work/usage.db");
        use("work/usage.db", list.toString(), LocalDate.now(ZoneOffset.UTC).toString(), "a@x.org");
        assertThat(usage("vip", "--unused-for", "180d")).as(err()).isZero();
        assertThat(out()).isEqualTo("b@x.org\tadmin\t0\t0\t-\t-\n");
    }

    @Test
    void shouldSayThatThereIsNothing() throws Exception {
        use("db.db", "own", OLD);
        assertThat(usage("own")).isEqualTo(1);
        assertThat(usage("own", "--json")).isEqualTo(1);
        assertThat(out()).endsWith("\"lines\": [\n]}\n");
        assertThat(usage("own", "--unused-for", "30")).isEqualTo(2);
        assertThat(err()).contains("--unused-for: '30'; allowed: a duration of whole days");
        assertThat(usage("own", "--unused-for", "30d", "--rescued")).isEqualTo(2);
        assertThat(err()).contains("allowed: one of the two");
    }
}
