package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.PastChange;
import io.github.senderwhitelist.mailet.WebAdmin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The commands on living lists: on a database in a file, and through a running server. */
class LivingCommandsTest extends CommandTest {
    private final WebAdmin server = new WebAdmin();

    @BeforeEach
    void begin() {
        server.open("own");
        server.open("other");
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private String url() {
        return "http://127.0.0.1:" + server.port();
    }

    private List<String> place(String kind) {
        return kind.equals("server")
                ? List.of("--list", "own", "--server", url() + "/")
                : List.of("--list", "own", "--database", "jdbc:sqlite:" + folder.resolve("db.db"));
    }

    /** Runs a command and returns its exit code. */
    private int run(String kind, String command, String... arguments) {
        out.reset();
        err.reset();
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(place(kind));
        line.addAll(List.of(arguments));
        return Main.run(out, line.toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"database", "server"})
    void shouldGiveAUsersEntriesToANewAddress(String kind) {
        assertThat(
                        run(
                                kind,
                                "add",
                                "a@x.ex to=sam@h.ex origin=user",
                                "a@x.ex auth=any to=sam@h.ex origin=learned",
                                "!b@x.ex to=sam@h.ex",
                                "a@x.ex until=2040-01-01 to=ann@h.ex origin=user",
                                "c@x.ex to=eve@h.ex",
                                "d@x.ex"))
                .as(err())
                .isZero();
        assertThat(run(kind, "rename", "Sam@h.ex", "ann@h.ex")).as(err()).isZero();
        assertThat(out()).isEqualTo("3 entries of sam@h.ex are now of ann@h.ex\n");
        assertThat(exported(kind))
                .containsExactlyInAnyOrder(
                        "a@x.ex to=ann@h.ex origin=user",
                        "a@x.ex until=2040-01-01 to=ann@h.ex origin=user",
                        "a@x.ex auth=any to=ann@h.ex origin=learned",
                        "!b@x.ex to=ann@h.ex",
                        "c@x.ex to=eve@h.ex",
                        "d@x.ex");
        assertThat(run(kind, "rename", "sam@h.ex", "ann@h.ex")).isEqualTo(1);
        assertThat(run(kind, "rename", "ann@h.ex", "ANN@h.ex")).isEqualTo(2);
        assertThat(err()).contains("the same user");
        assertThat(run(kind, "rename", "ann@h.ex", "@h.ex")).isEqualTo(2);
    }

    private List<String> exported(String kind) {
        assertThat(run(kind, "export")).as(err()).isZero();
        return out().lines().toList();
    }

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n").toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "database"})
    void shouldAddAndRemove(String kind) {
        assertThat(run(kind, "add", "Alice@example.com note=x", "!bob@example.com to=me@here.org"))
                .as(err())
                .isZero();
        assertThat(out()).isEqualTo("own: 2 put, 0 unchanged\n");
        assertThat(run(kind, "add", "alice@example.com note=x")).isZero();
        assertThat(out()).isEqualTo("own: 0 put, 1 unchanged\n");
        assertThat(run(kind, "add", "alice@example.com auth=spf", "alice@example.com auth=dkim"))
                .isZero();
        assertThat(out())
                .isEqualTo(
                        "was: alice@example.com note=x\tnow: alice@example.com auth=spf;"
                                + " alice@example.com auth=dkim\nown: 1 put, 0 unchanged\n");
        assertThat(err()).isEmpty();
        assertThat(exported(kind))
                .containsExactly(
                        "alice@example.com auth=spf",
                        "alice@example.com auth=dkim",
                        "!bob@example.com to=me@here.org");

        assertThat(run(kind, "remove", "ALICE@example.com")).as(err()).isZero();
        assertThat(out()).isEqualTo("alice@example.com\tremoved\n");
        assertThat(run(kind, "remove", "alice@example.com", "bob@example.com to=me@here.org"))
                .isEqualTo(1);
        assertThat(out())
                .isEqualTo(
                        "alice@example.com\tnot-there\nbob@example.com to=me@here.org\tremoved\n");
        assertThat(exported(kind)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "database"})
    void shouldSayWhichConditionsAreTakenAway(String kind) {
        String two = "\"a auth=x\"@x.org";
        run(kind, "add", "alice@example.com auth=dkim", two + " until=2037-01-31");

        assertThat(run(kind, "add", "alice@example.com", two + " until=2038-01-31")).isZero();

        assertThat(out())
                .isEqualTo(
                        "was: \"a auth=x\"@x.org until=2037-01-31\tnow: \"a auth=x\"@x.org"
                                + " until=2038-01-31\n"
                                + "was: alice@example.com auth=dkim\tnow: alice@example.com\n"
                                + "own: 2 put, 0 unchanged\n");
        assertThat(err())
                .isEqualTo(
                        "alice@example.com: auth=dkim was taken away: its sender needs no"
                                + " confirmation of this entry's own\n");
        assertThat(run(kind, "add", two)).isZero();
        assertThat(err()).contains("until=2038-01-31 was taken away: it does not end any more");
        assertThat(run(kind, "add", "alice@example.com auth=spf")).isZero();
        assertThat(run(kind, "add", "alice@example.com auth=none")).isZero();
        assertThat(err()).contains("auth=spf was taken away");
        assertThat(run(kind, "add", "alice@example.com")).isZero();
        assertThat(err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "database"})
    void shouldKeepOriginsApart(String kind) {
        String pair = "alice@example.com to=me@here.org";
        assertThat(run(kind, "add", pair, pair + " origin=user", pair + " origin=learned"))
                .isZero();
        assertThat(out()).startsWith("own: 3 put");

        assertThat(run(kind, "remove", "--origin", "user", pair)).isZero();
        assertThat(run(kind, "remove", "--origin", "user", pair)).isEqualTo(1);

        assertThat(exported(kind)).containsExactly(pair, pair + " origin=learned");
    }

    /** It would be removed as another one, which is not there. */
    @Test
    void shouldRemoveNothingIfALineIsNotUtf8() {
        run("database", "add", "b@x.org");
        System.setIn(new ByteArrayInputStream("b@x.org\ncaf\u00e9@x.org\n".getBytes(ISO_8859_1)));

        assertThat(run("database", "remove", "-")).isEqualTo(2);

        assertThat(err()).contains("it is not UTF-8").hasLineCount(1);
        assertThat(exported("database")).containsExactly("b@x.org");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "database"})
    void shouldReadStandardInput(String kind) {
        System.setIn(new ByteArrayInputStream("# a\na@x.org\n\nb@x.org\n".getBytes(UTF_8)));
        assertThat(run(kind, "add", "-")).as(err()).isZero();
        System.setIn(new ByteArrayInputStream("# a\na@x.org\n".getBytes(UTF_8)));
        assertThat(run(kind, "remove", "-")).as(err()).isZero();

        assertThat(exported(kind)).containsExactly("b@x.org");
    }

    @ParameterizedTest
    @CsvSource({
        "add, foo, no '@'",
        "add, a@x.org fro=2, fro",
        "remove, foo, no '@'",
        "add, to=c@x.org, 'a condition, not an entry'",
        "add, auth=dkim, 'a condition, not an entry'",
        "remove, !b@x.org, leave out the",
        "remove, b@x.org auth=spf, it says more",
        "remove, b@x.org to=c@x.org origin=user, it says more"
    })
    void shouldDoNothingIfALineIsBad(String command, String bad, String reason) {
        run("database", "add", "b@x.org");

        assertThat(run("database", command, "b@x.org", "c@x.org", bad)).isEqualTo(2);

        assertThat(err().lines().toList().getLast()).contains(reason);
        assertThat(out()).isEmpty();
        assertThat(exported("database")).containsExactly("b@x.org");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "database"})
    void shouldImport(String kind) throws IOException {
        run(kind, "add", "s7@example.com note=old", "stays@example.com");
        String[] lines =
                IntStream.range(0, 400)
                        .mapToObj(i -> "s" + i % 300 + "@example.com note=" + i)
                        .toArray(String[]::new);
        String list = file("list", lines);
        lines[0] = "bad";

        assertThat(run(kind, "import", list, file("more", lines))).as(err()).isZero();

        assertThat(out()).matches("own: 300 put, 0 unchanged; 800 lines; \\d+\\.\\d s\n");
        assertThat(err()).contains("more:1: no '@' in 'bad'", "1 bad line was skipped");
        assertThat(exported(kind))
                .hasSize(401)
                .contains("s7@example.com note=7", "s7@example.com note=307", "stays@example.com")
                .doesNotContain("s7@example.com note=old");
        assertThat(run(kind, "import", list)).isZero();
        assertThat(out()).startsWith("own: 0 put, 300 unchanged");
    }

    @Test
    void shouldKeepDenialsAndSayWhatAnImportTakesAway() throws IOException {
        run(
                "database",
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

        assertThat(run("database", "import", list)).as(err()).isZero();

        assertThat(out())
                .startsWith(
                        "own: 3 put, 1 unchanged, 3 denials kept, 2 conditions lost; 7"
                                + " lines; ");
        assertThat(err())
                .isEqualTo(
                        """
                        bob@x.org: auth=dkim was taken away: its sender needs no confirmation of this entry's own
                        bob@x.org: until=2030-01-01 was taken away: it does not end any more
                        '!eve@x.org note=spam' stays, 'eve@x.org' was not put; to put it, add --replace-denials
                        '!max@x.org until=2030-01-01; max@x.org auth=spf' stays, 'max@x.org' was not put; to put it, add --replace-denials
                        '!sam@x.org to=me@here.org origin=user' stays, 'sam@x.org to=me@here.org origin=user' was not put; to put it, add --replace-denials
                        """);
        assertThat(exported("database"))
                .containsExactly(
                        "!ann@x.org note=new",
                        "bob@x.org",
                        "!eve@x.org note=spam",
                        "!max@x.org until=2030-01-01",
                        "max@x.org auth=spf",
                        "sam@x.org to=me@here.org",
                        "!sam@x.org to=me@here.org origin=user",
                        "!tim@x.org");

        assertThat(run("database", "import", "--replace-denials", list)).as(err()).isZero();

        assertThat(out())
                .startsWith("own: 3 put, 4 unchanged, 3 denials replaced, 1 condition lost; 7");
        assertThat(err())
                .contains("'!eve@x.org note=spam' was replaced by 'eve@x.org'\n")
                .contains("max@x.org: auth=spf was taken away");
        assertThat(exported("database"))
                .contains("eve@x.org", "max@x.org", "sam@x.org to=me@here.org origin=user")
                .contains("!ann@x.org note=new", "!tim@x.org")
                .hasSize(7);
    }

    @Test
    void shouldNameTenDenialsAndCountAll() throws IOException {
        String[] denied = numbered("!s", 25);
        run("database", "add", denied);

        assertThat(run("database", "import", file("list", numbered("s", 25)))).isZero();

        assertThat(out()).startsWith("own: 0 put, 0 unchanged, 25 denials kept; 25 lines; ");
        assertThat(err().lines()).hasSize(11).last().isEqualTo("and 15 more like these");
        assertThat(exported("database")).containsExactly(denied);
    }

    /** What users deny while an import goes on stays denied. */
    @Test
    void shouldKeepWhatIsDeniedWhileItImports() throws Exception {
        String[] lines = numbered("s", 20_000);
        String list = file("list", lines);
        run("database", "add", "a@x.org");
        Set<String> denied = ConcurrentHashMap.newKeySet();
        AtomicBoolean done = new AtomicBoolean();
        try (Database database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(30))) {
            EntryTable table = database.table("own");
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
            assertThat(run("database", "import", list)).as(err()).isZero();
            done.set(true);
            user.join();
        }
        assertThat(denied).isNotEmpty();
        denied.removeAll(exported("database"));
        assertThat(denied).isEmpty();
    }

    private static void put(EntryTable table, String line) {
        try {
            table.put(((ListLine.Good) ListLine.parse(line)).entry(), "user");
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
        assertThat(run("database", "import", list.toString())).as(err()).isZero();
        assertThat(out()).startsWith("own: 200,001 put, 0 unchanged; 200,001 lines; ");
        assertThat(err()).contains("own: the database completes its indexes\n");
        try (Database database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(10))) {
            Key user = Key.of("u7".getBytes(UTF_8), "x.example".getBytes(UTF_8));
            assertThat(database.table("own").entriesFor(user, 1_000)).hasSize(400);
        }
        assertThat(run("database", "import", list.toString())).as(err()).isZero();
        assertThat(out()).startsWith("own: 0 put, 200,001 unchanged; ");

        String denied = "!s7@example.com to=u7@x.example";
        String confirmed = "s8@example.com auth=spf to=u8@x.example";
        assertThat(run("database", "add", denied, confirmed)).isZero();
        assertThat(run("database", "import", list.toString())).as(err()).isZero();
        assertThat(out())
                .startsWith("own: 1 put, 199,999 unchanged, 1 denial kept, 1 condition lost; ");
        assertThat(exported("database")).contains(denied).doesNotContain(confirmed);
        assertThat(run("database", "import", "--replace-denials", list.toString())).isZero();
        assertThat(out()).startsWith("own: 1 put, 200,000 unchanged, 1 denial replaced; ");
        assertThat(exported("database")).doesNotContain(denied).contains(denied.substring(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "database"})
    void shouldImportListsOfOthers(String kind) throws IOException {
        String access = file("access", "alice@example.com OK", "bob@example.com REJECT");

        assertThat(run(kind, "import", "--from", "postfix", access)).as(err()).isZero();

        assertThat(out()).contains("2 lines: 2 taken", "own: 2 put");
        assertThat(exported(kind)).containsExactly("alice@example.com", "!bob@example.com");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "database"})
    void shouldImportAddressBooksForTheirUser(String kind) throws IOException {
        String book =
                file(
                        "book.vcf",
                        "BEGIN:VCARD",
                        "VERSION:3.0",
                        "FN:Alice",
                        "EMAIL:Alice@Example.com",
                        "EMAIL:alice",
                        "END:VCARD");
        assertThat(run(kind, "add", "!alice@example.com to=sam@here.example origin=user")).isZero();
        out();

        String sam = "Sam@Here.example";
        assertThat(run(kind, "import", "--from", "vcard", "--for", sam, book)).as(err()).isZero();

        assertThat(out())
                .contains("6 lines: 1 taken, 1 without equivalent, 0 bad, 4 that list no sender")
                .contains(
                        kind.equals("server")
                                ? "own: 1 put"
                                : "own: 0 put, 0 unchanged, 1 denial kept");
        assertThat(err())
                .contains(
                        ":5: 'alice': no '@' in 'alice'; allowed: local@domain (card 1,"
                                + " Alice)");
        if (kind.equals("database")) {
            assertThat(exported(kind))
                    .containsExactly("!alice@example.com to=sam@here.example origin=user");
            run(kind, "import", "--replace-denials", "--from", "vcard", "--for", sam, book);
        }
        assertThat(exported(kind))
                .containsExactly("alice@example.com auth=any to=sam@here.example origin=user");
        assertThat(run(kind, "import", "--from", "vcard", "--for", sam, book)).isZero();
        assertThat(out()).contains("own: 0 put, 1 unchanged");
    }

    @Test
    void shouldImportNothingOfAListThatIsMostlyBad() throws IOException {
        assertThat(run("server", "import", file("list", "a@x.org", "bad\n".repeat(4))))
                .isEqualTo(2);

        assertThat(err()).contains("list: 4 of 5 entries are bad", "list:2: no '@' in 'bad'");
        assertThat(exported("server")).isEmpty();
    }

    /** The server takes a megabyte at once. */
    @Test
    void shouldSendALongListInParts() throws IOException {
        String note = " note=" + "x".repeat(200);
        List<String> lines =
                IntStream.range(10_000, 18_000)
                        .mapToObj(i -> "s" + i + "@example.com" + note)
                        .collect(Collectors.toList());

        assertThat(run("server", "import", file("list", lines.toArray(new String[0]))))
                .as(err())
                .isZero();

        assertThat(out()).startsWith("own: 8,000 put, 0 unchanged");
        assertThat(exported("server")).isEqualTo(lines);
    }

    @Test
    void shouldReportTheStatus() {
        run("database", "add", "a@x.org", "@x.org");
        assertThat(run("database", "status")).isZero();
        assertThat(out().replaceAll("[0-9a-f-]{36}", "EPOCH"))
                .isEqualTo("list      own\nentries   2\nfeed      EPOCH\nposition  2\n");

        run("server", "add", "a@x.org", "@x.org");
        assertThat(run("server", "status", "--json")).isZero();
        assertThat(out()).contains("\"list\": \"own\"", "\"behind\": false", "\"problem\": null");
    }

    @Test
    void shouldReportWhoElseListsASender() {
        run("server", "add", "a@x.org", "@x.org note=all");

        assertThat(run("server", "remove", "a@x.org")).isZero();

        assertThat(err()).isEqualTo("a@x.org is still listed by 'own': @x.org note=all\n");
    }

    @Test
    void shouldReportThatThereIsNoSuchListOrFile() throws IOException {
        assertThat(Main.run(out, "status", "--list", "none", "--server", url())).isEqualTo(2);
        assertThat(err())
                .isEqualTo("the server has no open living list 'none'; open are: other, own\n");
        for (String command : List.of("status", "export")) {
            assertThat(run("database", command)).isEqualTo(2);
            assertThat(err()).contains("db.db: no such file; nothing was done");
        }
        assertThat(run("database", "remove", "a@x.org")).isEqualTo(2);
        assertThat(folder).isEmptyDirectory();
        Path torn = Files.write(folder.resolve("db.db"), new byte[8]);
        assertThat(run("database", "status")).isEqualTo(2);
        assertThat(err()).contains("db.db: 8 bytes, too few for a database; nothing was done");
        assertThat(torn).hasSize(8);
        Files.delete(torn);
        assertThat(run("database", "add", "a@x.org")).isZero();
        assertThat(err()).contains("db.db: no such file; a new database is made");
    }

    private int runOn(String list, String... command) {
        out.reset();
        err.reset();
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of("--list", list));
        line.addAll(List.of("--database", "jdbc:sqlite:" + folder.resolve("db.db")));
        return Main.run(out, line.toArray(new String[0]));
    }

    /** What is put into a list of a mistyped name is never asked. */
    @Test
    void shouldNameTheListsWhenThereIsNoneOfTheName() throws IOException {
        assertThat(runOn("onw", "add", "a@x.org")).isEqualTo(2);
        assertThat(err()).contains("db.db: no such file; nothing was done; allowed: a list of");
        assertThat(folder).isEmptyDirectory();
        run("database", "add", "a@x.org");
        String list = file("list", "b@x.org");

        for (String command :
                List.of(
                        "add b@x.org",
                        "import " + list,
                        "remove a@x.org",
                        "rename sam@x.org ann@x.org",
                        "export",
                        "status")) {
            assertThat(runOn("onw", command.split(" "))).as(command).isEqualTo(2);
            assertThat(out()).isEmpty();
            assertThat(err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("the database has no list 'onw'; there are: own; nothing was done");
        }
        assertThat(runOn("onw", "add", "b@x.org")).isEqualTo(2);
        assertThat(err()).contains("--create");
        try (var database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(5))) {
            assertThat(database.lists()).containsExactly("own");
            assertThat(database.table("onw").count()).isZero();
        }
    }

    @Test
    void shouldCreateAList() throws IOException {
        assertThat(runOn("new", "add", "a@x.org", "--create")).as(err()).isZero();
        assertThat(runOn("newer", "import", "--create", file("list", "b@x.org"))).isZero();

        assertThat(runOn("new", "add", "c@x.org")).isZero();
        assertThat(runOn("newer", "export")).isZero();
        assertThat(out()).isEqualTo("b@x.org\n");
        assertThat(run("server", "add", "a@x.org", "--create")).isEqualTo(2);
        assertThat(err()).contains("--create: allowed only with --database");
    }

    /** No list of James can have such a name, so what is put there would never be asked. */
    @ParameterizedTest
    @ValueSource(strings = {"Own", "x y", "-own", "own.txt", "ui"})
    void shouldRefuseNamesThatNoListHas(String name) {
        assertThat(
                        Main.run(
                                out,
                                "add",
                                "a@x.org",
                                "--list=" + name,
                                "--database=jdbc:sqlite:file:" + folder.resolve("db")))
                .isEqualTo(2);
        assertThat(err())
                .contains("'" + name + "'; allowed: lower case letters, digits and hyphens")
                .hasLineCount(1);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void shouldSayWhoDidIt() throws IOException {
        assertThat(run("database", "add", "--who", "Jo Admin", "a@x.org")).isZero();
        run("database", "remove", "a@x.org");

        try (var database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(5))) {
            assertThat(
                            database.table("own")
                                    .history(
                                            Key.of("a".getBytes(UTF_8), "x.org".getBytes(UTF_8)),
                                            9))
                    .extracting(PastChange::who)
                    .containsExactly("command line " + System.getProperty("user.name"), "Jo Admin");
        }
    }

    /** Answers everything with a status and a body, once a token is given. */
    private static HttpServer answering(int status, String body, String token) throws IOException {
        HttpServer web =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext(
                "/",
                exchange -> {
                    String login = exchange.getRequestHeaders().getFirst("Authorization");
                    boolean in = token.isEmpty() || ("Bearer " + token).equals(login);
                    byte[] answer = (in ? body : "{}").getBytes(UTF_8);
                    exchange.sendResponseHeaders(in ? status : 401, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        web.start();
        return web;
    }

    @Test
    void shouldGiveTheToken() throws IOException {
        String state =
                "{\"lists\":[{\"name\":\"own\",\"addresses\":1,\"behind\":true,\"problem\":null}]}";
        HttpServer web = answering(200, state, "t-4711");
        String url = "http://127.0.0.1:" + web.getAddress().getPort();
        String right = file("right", "t-4711");
        String wrong = file("wrong", "t-4712");
        try {
            assertThat(Main.run(out, "status", "--list", "own", "--server", url)).isEqualTo(2);
            assertThat(err()).contains(url + ": a login is needed", "--token-file");
            err.reset();
            assertThat(
                            Main.run(
                                    out,
                                    "status",
                                    "--list",
                                    "own",
                                    "--server",
                                    url,
                                    "--token-file",
                                    wrong))
                    .isEqualTo(2);
            assertThat(err())
                    .contains("the token of --token-file is refused")
                    .doesNotContain("4711", "4712");
            assertThat(
                            Main.run(
                                    out,
                                    "status",
                                    "--list",
                                    "own",
                                    "--server",
                                    url,
                                    "--token-file",
                                    right))
                    .isEqualTo(1);
            assertThat(out()).contains("behind     true");
        } finally {
            web.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "404 | Not found | no answer of the whitelist's routes",
                "404 | {} | no answer of the whitelist's routes",
                "200 | <html> | no answer of the whitelist's routes",
                "200 | {\"lists\":[[]]} | no open living list 'own'",
                "200 | {} | no open living list 'own'",
                "302 | {} | status 302",
                "503 | {\"message\":\"The database\",\"details\":\"gone\"} | 503, The database:"
                        + " gone"
            })
    void shouldExplainAnswersOfAnything(int status, String body, String said) throws IOException {
        HttpServer web = answering(status, body, "");
        String url = "http://127.0.0.1:" + web.getAddress().getPort();
        try {
            assertThat(Main.run(out, "export", "--list", "own", "--server", url)).isEqualTo(2);
            assertThat(err().lines()).singleElement().asString().contains(said);
        } finally {
            web.stop(0);
        }
    }
}
