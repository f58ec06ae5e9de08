package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The commands on living lists, on a database in a file. */
class LivingCommandsTest extends CommandTest {
    /** Makes James' folder, which defines a list. */
    @BeforeEach
    void define() throws IOException {
        Files.createDirectory(folder.resolve("conf"));
        Files.writeString(
                folder.resolve("conf/whitelists.xml"),
                """
                <whitelists>
                  <whitelist name="own"><source>jdbc:sqlite:file://db.db</source></whitelist>
                  <whitelist name="text"><source>file://conf/list.txt</source></whitelist>
                </whitelists>
                """);
    }

    /** Runs a command on the list, and returns its exit code. */
    private int run(String command, String... arguments) {
        return runOn("own", command, arguments);
    }

    private int runOn(String list, String command, String... arguments) {
        out.reset();
        err.reset();
        List<String> line = new ArrayList<>(List.of(command, "--conf", path("conf")));
        line.add(command.equals("rename") ? "--" : list);
        line.addAll(List.of(arguments));
        return Main.run(out, line.toArray(new String[0]));
    }

    @Test
    void shouldGiveAUsersEntriesToANewAddress() {
        assertThat(
                        run(
                                "add",
                                "a@x.ex to=sam@h.ex origin=user",
                                "a@x.ex auth=any to=sam@h.ex origin=learned",
                                "!b@x.ex to=sam@h.ex",
                                "a@x.ex until=2040-01-01 to=ann@h.ex origin=user",
                                "c@x.ex to=eve@h.ex",
                                "d@x.ex"))
                .as(err())
                .isZero();
        assertThat(run("rename", "Sam@h.ex", "ann@h.ex")).as(err()).isZero();
        assertThat(out()).isEqualTo("own: 3 entries of sam@h.ex are now of ann@h.ex\n");
        assertThat(exported())
                .containsExactlyInAnyOrder(
                        "a@x.ex to=ann@h.ex origin=user",
                        "a@x.ex until=2040-01-01 to=ann@h.ex origin=user",
                        "a@x.ex auth=any to=ann@h.ex origin=learned",
                        "!b@x.ex to=ann@h.ex",
                        "c@x.ex to=eve@h.ex",
                        "d@x.ex");
        assertThat(run("rename", "sam@h.ex", "ann@h.ex")).isEqualTo(1);
        assertThat(run("rename", "ann@h.ex", "ANN@h.ex")).isEqualTo(2);
        assertThat(err()).contains("the same user");
        assertThat(run("rename", "ann@h.ex", "@h.ex")).isEqualTo(2);
    }

    private List<String> exported() {
        assertThat(run("export")).as(err()).isZero();
        return out().lines().toList();
    }

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n").toString();
    }

    @Test
    void shouldAddAndRemove() {
        assertThat(run("add", "Alice@example.com note=x", "!bob@example.com to=me@here.org"))
                .as(err())
                .isZero();
        assertThat(out()).isEqualTo("own: 2 added, 0 unchanged\n");
        assertThat(run("add", "alice@example.com note=x")).isZero();
        assertThat(out()).isEqualTo("own: 0 added, 1 unchanged\n");
        assertThat(run("add", "alice@example.com auth=spf", "alice@example.com auth=dkim"))
                .isZero();
        assertThat(out())
                .isEqualTo(
                        "was: alice@example.com note=x\tnow: alice@example.com auth=spf;"
                                + " alice@example.com auth=dkim\nown: 1 added, 0 unchanged\n");
        assertThat(err()).isEmpty();
        assertThat(exported())
                .containsExactly(
                        "alice@example.com auth=spf",
                        "alice@example.com auth=dkim",
                        "!bob@example.com to=me@here.org");

        assertThat(run("remove", "ALICE@example.com")).as(err()).isZero();
        assertThat(out()).isEqualTo("alice@example.com\tremoved\n");
        assertThat(run("remove", "alice@example.com", "bob@example.com to=me@here.org"))
                .isEqualTo(1);
        assertThat(out())
                .isEqualTo(
                        "alice@example.com\tnot-there\nbob@example.com to=me@here.org\tremoved\n");
        assertThat(exported()).isEmpty();
    }

    @Test
    void shouldSayWhichConditionsAreTakenAway() {
        String two = "\"a auth=x\"@x.org";
        run("add", "alice@example.com auth=dkim", two + " until=2037-01-31");

        assertThat(run("add", "alice@example.com", two + " until=2038-01-31")).isZero();

        assertThat(out())
                .isEqualTo(
                        "was: \"a auth=x\"@x.org until=2037-01-31\tnow: \"a auth=x\"@x.org"
                                + " until=2038-01-31\n"
                                + "was: alice@example.com auth=dkim\tnow: alice@example.com\n"
                                + "own: 2 added, 0 unchanged\n");
        assertThat(err())
                .isEqualTo(
                        "alice@example.com: auth=dkim was taken away: its sender needs no"
                                + " confirmation of this entry's own\n");
        assertThat(run("add", two)).isZero();
        assertThat(err()).contains("until=2038-01-31 was taken away: it does not end any more");
        assertThat(run("add", "alice@example.com auth=spf")).isZero();
        assertThat(run("add", "alice@example.com auth=none")).isZero();
        assertThat(err()).contains("auth=spf was taken away");
        assertThat(run("add", "alice@example.com")).isZero();
        assertThat(err()).isEmpty();
    }

    @Test
    void shouldKeepOriginsApart() {
        String pair = "alice@example.com to=me@here.org";
        assertThat(run("add", pair, pair + " origin=user", pair + " origin=learned")).isZero();
        assertThat(out()).startsWith("own: 3 added");

        assertThat(run("remove", "--origin", "user", pair)).isZero();
        assertThat(run("remove", "--origin", "user", pair)).isEqualTo(1);

        assertThat(exported()).containsExactly(pair, pair + " origin=learned");
    }

    /** It would be removed as another one, which is not there. */
    @Test
    void shouldRemoveNothingIfALineIsNotUtf8() {
        run("add", "b@x.org");
        System.setIn(new ByteArrayInputStream("b@x.org\ncaf\u00e9@x.org\n".getBytes(ISO_8859_1)));

        assertThat(run("remove", "-")).isEqualTo(2);

        assertThat(err()).contains("it is not UTF-8").hasLineCount(1);
        assertThat(exported()).containsExactly("b@x.org");
    }

    @Test
    void shouldReadStandardInput() {
        System.setIn(new ByteArrayInputStream("# a\na@x.org\n\nb@x.org\n".getBytes(UTF_8)));
        assertThat(run("add", "-")).as(err()).isZero();
        System.setIn(new ByteArrayInputStream("# a\na@x.org\n".getBytes(UTF_8)));
        assertThat(run("remove", "-")).as(err()).isZero();

        assertThat(exported()).containsExactly("b@x.org");
    }

    @ParameterizedTest
    @CsvSource({
        "add, foo, no '@'",
        "add, a@x.org fro=2, fro",
        "remove, foo, no '@'",
        "add, to=c@x.org, 'a condition, not an entry'",
        "add, auth=dkim, 'a condition, not an entry'",
        "remove, !b@x.org, it says more",
        "remove, b@x.org auth=spf, it says more",
        "remove, b@x.org to=c@x.org origin=user, it says more"
    })
    void shouldDoNothingIfALineIsBad(String command, String bad, String reason) {
        run("add", "b@x.org");

        assertThat(run(command, "b@x.org", "c@x.org", bad)).isEqualTo(2);

        assertThat(err().lines().toList().getLast()).contains(reason);
        assertThat(out()).isEmpty();
        assertThat(exported()).containsExactly("b@x.org");
    }

    @Test
    void shouldImport() throws IOException {
        run("add", "s7@example.com note=old", "stays@example.com");
        String[] lines =
                IntStream.range(0, 400)
                        .mapToObj(i -> "s" + i % 300 + "@example.com note=" + i)
                        .toArray(String[]::new);
        String list = file("list", lines);
        lines[0] = "bad";

        assertThat(run("import", list, file("more", lines))).as(err()).isZero();

        assertThat(out()).matches("own: 300 added, 0 unchanged; 800 lines; \\d+\\.\\d s\n");
        assertThat(err()).contains("more:1: no '@' in 'bad'", "1 bad line was skipped");
        assertThat(exported())
                .hasSize(401)
                .contains("s7@example.com note=7", "s7@example.com note=307", "stays@example.com")
                .doesNotContain("s7@example.com note=old");
        assertThat(run("import", list)).isZero();
        assertThat(out()).startsWith("own: 0 added, 300 unchanged");
    }

    @Test
    void shouldKeepDenialsAndSayWhatAnImportTakesAway() throws IOException {
        run(
                "add",
                "!eve@x.org note=spam",
                "bob@x.org auth=dkim until=2030-01-01",
                "!sam@x.org to=me@here.org origin=user",
                "!ann@x.org",
                "!tim@x.org",
                "!max@x.org until=2030-01-01",
                "max@x.org auth=spf");
        String list =
                file(
                        "list",
                        "bob@x.org",
                        "eve@x.org",
                        "sam@x.org to=me@here.org origin=user",
                        "sam@x.org to=me@here.org",
                        "!ann@x.org note=new",
                        "!tim@x.org",
                        "max@x.org");

        assertThat(run("import", list)).as(err()).isZero();

        assertThat(out())
                .startsWith(
                        "own: 3 added, 1 unchanged, 3 denials kept, 2 conditions lost; 7"
                                + " lines; ");
        assertThat(err())
                .isEqualTo(
                        """
                        bob@x.org: auth=dkim was taken away: its sender needs no confirmation of this entry's own
                        bob@x.org: until=2030-01-01 was taken away: it does not end any more
                        '!eve@x.org note=spam' stays, 'eve@x.org' was not added; to add it, give --replace-denials
                        '!max@x.org until=2030-01-01; max@x.org auth=spf' stays, 'max@x.org' was not added; to add it, give --replace-denials
                        '!sam@x.org to=me@here.org origin=user' stays, 'sam@x.org to=me@here.org origin=user' was not added; to add it, give --replace-denials
                        """);
        assertThat(exported())
                .containsExactly(
                        "!ann@x.org note=new",
                        "bob@x.org",
                        "!eve@x.org note=spam",
                        "!max@x.org until=2030-01-01",
                        "max@x.org auth=spf",
                        "sam@x.org to=me@here.org",
                        "!sam@x.org to=me@here.org origin=user",
                        "!tim@x.org");

        assertThat(run("import", "--replace-denials", list)).as(err()).isZero();

        assertThat(out())
                .startsWith("own: 3 added, 4 unchanged, 3 denials replaced, 1 condition lost; 7");
        assertThat(err())
                .contains("'!eve@x.org note=spam' was replaced by 'eve@x.org'\n")
                .contains("max@x.org: auth=spf was taken away");
        assertThat(exported())
                .contains("eve@x.org", "max@x.org", "sam@x.org to=me@here.org origin=user")
                .contains("!ann@x.org note=new", "!tim@x.org")
                .hasSize(7);
    }

    @Test
    void shouldNameTenDenialsAndCountAll() throws IOException {
        String[] denied = numbered("!s", 25);
        run("add", denied);

        assertThat(run("import", file("list", numbered("s", 25)))).isZero();

        assertThat(out()).startsWith("own: 0 added, 0 unchanged, 25 denials kept; 25 lines; ");
        assertThat(err().lines())
                .hasSize(11)
                .last()
                .isEqualTo("and 15 more like these; --verbose prints all");
        assertThat(exported()).containsExactly(denied);
    }

    /** What users deny while an import goes on stays denied. */
    @Test
    void shouldKeepWhatIsDeniedWhileItImports() throws Exception {
        String[] lines = numbered("s", 20_000);
        String list = file("list", lines);
        run("add", "a@x.org");
        Set<String> denied = ConcurrentHashMap.newKeySet();
        AtomicBoolean done = new AtomicBoolean();
        try (Database database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(30))) {
            ListRecord table = database.record("own");
            Thread user =
                    Thread.ofVirtual()
                            .unstarted(
                                    () -> {
                                        SplittableRandom random = new SplittableRandom(5);
                                        while (!done.get()) {
                                            String line = "!" + lines[random.nextInt(20_000)];
                                            put(table, line);
                                            denied.add(line);
                                        }
                                    });
            user.start();
            assertThat(run("import", list)).as(err()).isZero();
            done.set(true);
            user.join();
        }
        assertThat(denied).isNotEmpty();
        denied.removeAll(exported());
        assertThat(denied).isEmpty();
    }

    private static void put(ListRecord table, String line) {
        try {
            table.write(List.of(Edit.put(((ListLine.Good) ListLine.parse(line)).entry())), "user");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String[] numbered(String start, int count) {
        return IntStream.range(100_000, 100_000 + count)
                .mapToObj(i -> start + i + "@example.com")
                .toArray(String[]::new);
    }

    @Test
    @Tag("large")
    void shouldLoadVeryManyEntriesIntoAFile() throws IOException {
        Path list = folder.resolve("list.txt");
        Files.write(
                list,
                IntStream.range(0, 200_001)
                        .mapToObj(i -> "s%s@example.com to=u%s@x.example".formatted(i, i % 500))
                        .toList());
        assertThat(run("import", list.toString())).as(err()).isZero();
        assertThat(out()).startsWith("own: 200,001 added, 0 unchanged; 200,001 lines; ");
        try (Database database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(10))) {
            Key user = Key.of("u7".getBytes(UTF_8), "x.example".getBytes(UTF_8));
            assertThat(database.record("own").entriesFor(user, 1_000)).hasSize(400);
        }
        assertThat(run("import", list.toString())).as(err()).isZero();
        assertThat(out()).startsWith("own: 0 added, 200,001 unchanged; ");

        String denied = "!s7@example.com to=u7@x.example";
        String confirmed = "s8@example.com auth=spf to=u8@x.example";
        assertThat(run("add", denied, confirmed)).isZero();
        assertThat(run("import", list.toString())).as(err()).isZero();
        assertThat(out())
                .startsWith("own: 1 added, 199,999 unchanged, 1 denial kept, 1 condition lost; ");
        assertThat(exported()).contains(denied).doesNotContain(confirmed);
        assertThat(run("import", "--replace-denials", list.toString())).isZero();
        assertThat(out()).startsWith("own: 1 added, 200,000 unchanged, 1 denial replaced; ");
        assertThat(exported()).doesNotContain(denied).contains(denied.substring(1));
    }

    @Test
    void shouldImportListsOfOthers() throws IOException {
        String access = file("access", "alice@example.com OK", "bob@example.com REJECT");

        assertThat(run("import", "--from", "postfix", access)).as(err()).isZero();

        assertThat(out()).contains("2 lines: 2 taken", "own: 2 added");
        assertThat(exported()).containsExactly("alice@example.com", "!bob@example.com");
    }

    @Test
    void shouldImportAddressBooksForTheirUser() throws IOException {
        String book =
                file(
                        "book.vcf",
                        "BEGIN:VCARD",
                        "VERSION:3.0",
                        "FN:Alice",
                        "EMAIL:Alice@Example.com",
                        "EMAIL:alice",
                        "END:VCARD");
        assertThat(run("add", "!alice@example.com to=sam@here.example origin=user")).isZero();
        out();

        String sam = "Sam@Here.example";
        assertThat(run("import", "--from", "vcard", "--for", sam, book)).as(err()).isZero();

        assertThat(out())
                .contains("6 lines: 1 taken, 1 without equivalent, 0 bad, 4 others")
                .contains("own: 0 added, 0 unchanged, 1 denial kept");
        assertThat(err())
                .contains(
                        ":5: 'alice': no '@' in 'alice'; allowed: local@domain (card 1,"
                                + " Alice)");
        assertThat(exported())
                .containsExactly("!alice@example.com to=sam@here.example origin=user");
        run("import", "--replace-denials", "--from", "vcard", "--for", sam, book);
        assertThat(exported())
                .containsExactly("alice@example.com auth=any to=sam@here.example origin=user");
        assertThat(run("import", "--from", "vcard", "--for", sam, book)).isZero();
        assertThat(out()).contains("own: 0 added, 1 unchanged");
    }

    @Test
    void shouldImportNothingOfAListThatIsMostlyBad() throws IOException {
        assertThat(run("import", file("list", "a@x.org", "bad\n".repeat(4)))).isEqualTo(2);

        assertThat(err()).contains("list: 4 of 5 entries are bad", "list:2: no '@' in 'bad'");
        assertThat(folder.resolve("db.db")).doesNotExist();
    }

    @Test
    void shouldReportTheStatus() {
        run("add", "a@x.org", "@x.org");
        assertThat(run("status")).isZero();
        assertThat(out().replaceAll("[0-9a-f-]{36}", "EPOCH"))
                .isEqualTo("own\t2\tEPOCH\t2\n");
    }

    @Test
    void shouldReportThatThereIsNoSuchListOrFile() throws IOException {
        for (String command : List.of("status", "export")) {
            assertThat(run(command)).isEqualTo(2);
            assertThat(err()).contains("db.db: no such file; nothing was done");
        }
        assertThat(run("remove", "a@x.org")).isEqualTo(2);
        Path database = folder.resolve("db.db");
        assertThat(database).doesNotExist();
        for (String other : List.of("", "alice@example.com\n", "SQLite format 2")) {
            Files.writeString(database, other);
            assertThat(run("status")).isEqualTo(2);
            assertThat(err()).contains("db.db: no database, but a").contains("; nothing was done");
            assertThat(database).hasContent(other);
        }
        assertThat(run("add", "a@x.org")).isEqualTo(2);
        assertThat(err()).contains("db.db: no database, but another file").hasLineCount(1);
        Files.delete(database);
        assertThat(run("add", "a@x.org")).isZero();
        assertThat(err()).contains("db.db: no such file; a new database is made");
    }

    /** What is put into a list of a mistyped name is never asked. */
    @Test
    void shouldNameTheListsWhenThereIsNoneOfTheName() throws IOException {
        run("add", "a@x.org");
        String list = file("list", "b@x.org");
        String database = "--database=jdbc:sqlite:file://db.db";

        for (String command :
                List.of(
                        "add onw b@x.org",
                        "import onw " + list,
                        "remove onw a@x.org",
                        "rename sam@x.org ann@x.org onw",
                        "export onw",
                        "history onw a@x.org",
                        "check onw a@x.org",
                        "status onw")) {
            assertThat(runLine(command)).as(command).isEqualTo(2);
            assertThat(err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("no list 'onw' in " + path("conf/whitelists.xml"))
                    .contains("allowed: own, text, or a file");
            assertThat(runLine(command + " " + database)).as(command).isEqualTo(2);
            assertThat(err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("the database has no list 'onw'; there are: own; nothing was done");
            assertThat(out()).isEmpty();
        }
        assertThat(runLine("add onw b@x.org " + database)).isEqualTo(2);
        assertThat(err()).contains("--create");
        try (var opened = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(5))) {
            assertThat(opened.lists()).containsExactly("own");
        }
        assertThat(runLine("add text b@x.org")).isEqualTo(2);
        assertThat(err()).contains("text: a list in the file").contains("Edit the file");
    }

    /** Runs a line in James' folder. */
    private int runLine(String line) {
        out.reset();
        err.reset();
        String[] words = (line + " --conf=" + path("conf")).split(" ", -1);
        return Main.run(out, words);
    }

    @Test
    void shouldSayWhereNamesOfListsComeFromWhenThereAreNone() {
        out.reset();
        assertThat(Main.run(out, "check", "own", "a@x.org", "--conf=" + path("none"))).isEqualTo(2);
        assertThat(err())
                .startsWith("'own': no such file, and no list of that name")
                .contains("run this in James' folder, or give --conf DIR or --database URL")
                .hasLineCount(1);
    }

    @Test
    void shouldCreateAList() throws IOException {
        String database = " --database=jdbc:sqlite:file://other.db";
        assertThat(runLine("add new a@x.org --create" + database)).as(err()).isZero();
        String list = file("list", "b@x.org");
        assertThat(runLine("import newer --create " + list + database)).isZero();

        assertThat(runLine("add new c@x.org" + database)).isZero();
        assertThat(runLine("export newer" + database)).isZero();
        assertThat(out()).isEqualTo("b@x.org\n");
        assertThat(folder.resolve("other.db")).exists();
    }

    /** As in the configuration, and as people write the name of a file. */
    @Test
    void shouldTakeUrlsAsTheConfigurationHasThem() {
        run("add", "a@x.org");
        for (String url :
                List.of("file://db.db", "file://" + path("db.db"), path("db.db"), "db.db")) {
            assertThat(runLine("export own --database=jdbc:sqlite:" + url)).as(err()).isZero();
            assertThat(out()).isEqualTo("a@x.org\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://x/y, must begin with jdbc:postgresql:",
        "lists, must begin with jdbc:postgresql:",
        "jdbc:postgresql://x/y, --user is missing",
        "jdbc:postgresql://x/y?user=a, must have no user",
        "jdbc:sqlite:file://, not the URL of a file",
        "jdbc:sqlite:x?mode=ro, not the URL of a file",
        "jdbc:sqlite::memory:, not the URL of a file",
        "jdbc:sqlite://host/x, not the URL of a file",
        "jdbc:sqlite:x --user me, are for PostgreSQL",
    })
    void shouldRefuseOtherDatabases(String url, String message) throws IOException {
        assertThat(runLine("add own a@x.org --create --database " + url)).isEqualTo(2);
        assertThat(err())
                .contains(message)
                .contains(
                        "; allowed: jdbc:sqlite:file://var/whitelist/lists.db, or jdbc:postgresql:")
                .hasLineCount(1);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(folder.resolve("conf"));
        }
    }

    /** No list of James can have such a name, so what is put there would never be asked. */
    @ParameterizedTest
    @ValueSource(strings = {"Own", "x y", "own.txt", "ui"})
    void shouldRefuseNamesThatNoListHas(String name) throws IOException {
        assertThat(runOn(name, "add", "a@x.org", "--database=jdbc:sqlite:file://db", "--create"))
                .isEqualTo(2);
        assertThat(err())
                .contains("'" + name + "': no name of a living list; allowed: lower case letters")
                .hasLineCount(1);
        assertThat(folder.resolve("db")).doesNotExist();
    }

    @Test
    void shouldTellWhoChangedTheEntriesOfASender() {
        assertThat(run("add", "a@x.org note=x", "b@x.org")).isZero();
        run("remove", "a@x.org");

        assertThat(run("history", "A@x.org")).as(err()).isZero();
        String user = LivingList.WHO;
        assertThat(out().lines().map(line -> line.replaceFirst("^2\\S+Z\t", "")))
                .containsExactly(
                        user + "\tadmin\ta@x.org: removed", user + "\tadmin\ta@x.org note=x");
        assertThat(run("history", "c@x.org")).isEqualTo(1);
        assertThat(out()).isEmpty();
        assertThat(run("history", "x.org")).isEqualTo(2);
        assertThat(err()).contains("'x.org'; allowed: an address, @domain or @.domain");
    }

    @Test
    void shouldReportAndRenameInAllLists() {
        run("add", "a@x.org to=sam@h.ex");
        String database = " --database=jdbc:sqlite:file://db.db";
        runLine("add other --create b@x.org" + database);
        Main.run(
                out,
                "add",
                "other",
                "c@x.org to=sam@h.ex",
                "--database=jdbc:sqlite:" + path("db.db"));

        assertThat(runLine("status" + database)).isZero();
        assertThat(out())
                .matches("other\t2\t\\S+\t2\nown\t1\t\\S+\t1\n");
        assertThat(runLine("rename sam@h.ex ann@h.ex" + database)).as(err()).isZero();
        assertThat(out())
                .isEqualTo(
                        """
                        other: 1 entry of sam@h.ex is now of ann@h.ex
                        own: 1 entry of sam@h.ex is now of ann@h.ex
                        """);
        assertThat(runLine("export other --to ann@h.ex" + database)).isZero();
        assertThat(out()).isEqualTo("c@x.org to=ann@h.ex\n");
        assertThat(runLine("rename sam@h.ex ann@h.ex")).isEqualTo(1);
    }

    @Test
    void shouldExportForOneRecipient() throws IOException {
        String[] lines = {"a@x.org", "b@x.org to=sam@h.ex", "!c@x.org to=@h.ex"};
        run("add", lines);
        String text = file("text.txt", lines);
        for (String list : List.of("own", text)) {
            assertThat(runLine("export " + list + " --to Sam@h.ex")).as(err()).isZero();
            assertThat(out()).isEqualTo(lines[1] + "\n");
            assertThat(runLine("export " + list + " --to @h.ex")).isZero();
            assertThat(out()).isEqualTo(lines[2] + "\n");
            assertThat(runLine("export " + list + " --to h.ex")).isEqualTo(2);
        }
    }

    @Test
    void shouldCompareAListInADatabaseWithAFile() throws IOException {
        run("add", "a@x.org", "b@x.org note=1");
        String text = file("text.txt", "b@x.org note=2", "c@x.org");

        assertThat(runLine("diff own " + text)).as(err()).isEqualTo(1);
        assertThat(out()).isEqualTo("-a@x.org\n-b@x.org note=1\n+b@x.org note=2\n+c@x.org\n");
        assertThat(runLine("diff own own")).isZero();
    }

    @Test
    void shouldExportMoreThanAPage() throws IOException {
        String[] lines = numbered("s", 2_500);
        run("import", file("list", lines));
        assertThat(exported()).containsExactly(lines);
    }

    @Test
    void shouldSayWhoseEntryIsThereInPlaceOfOneThatIsNot() {
        run("add", "dan@x.org to=sam@h.ex origin=learned");
        assertThat(run("remove", "dan@x.org to=sam@h.ex")).isEqualTo(1);
        assertThat(out()).isEqualTo("dan@x.org to=sam@h.ex\tnot-there\n");
        assertThat(err()).contains("there is one of origin learned; to remove that, add --origin");
        assertThat(run("remove", "dan@x.org to=sam@h.ex", "--origin", "learned")).isZero();
    }

    @Test
    void shouldWarnOfWhatHasNoEffectOrTooMuch() {
        assertThat(run("add", "a@x.org until=2020-01-01", "@gmail.com")).isZero();
        assertThat(err())
                .contains("'a@x.org until=2020-01-01': until= has passed, so it has no effect")
                .contains("'@gmail.com': anybody can get an address there");
        assertThat(run("add", "# nothing")).isEqualTo(2);
        assertThat(err()).contains("no entry, but empty lines and comments; nothing was added");
    }
}
