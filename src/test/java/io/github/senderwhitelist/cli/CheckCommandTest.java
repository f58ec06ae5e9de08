package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** The lists that {@code check} can ask: several files, lists by their names. */
class CheckCommandTest extends CommandTest {
    @BeforeEach
    void makeLists() throws IOException {
        Files.createDirectory(folder.resolve("conf"));
        file("conf/partners.txt", "@partner.example");
        file("conf/denied.txt", "!mallory@partner.example");
        file(
                "conf/whitelists.xml",
                """
                <whitelists>
                  <whitelist name="partners"><source>file://conf/partners.txt</source></whitelist>
                  <whitelist name="own">
                    <source>jdbc:sqlite:file://var/lists.db</source>
                  </whitelist>
                  <whitelist name="far"><source>jdbc:postgresql://db.example/x</source></whitelist>
                </whitelists>\
                """);
        file(
                "conf/mailetcontainer.xml",
                """
                <mailetcontainer><processors><processor state="root">
                  <matcher name="known" match="org.apache.james.mailetcontainer.impl.matchers.Or">
                    <matcher match="io.github.senderwhitelist.mailet.SenderIsWhitelisted=own"/>
                    <matcher match="SenderIsWhitelisted=partners;sender=from;name=seen"/>
                    <matcher match="SenderIsWhitelisted=partners;sender=from;name=twice"/>
                    <matcher match="SenderIsWhitelisted=own;name=twice"/>
                  </matcher>
                  <mailet match="All" class="ToProcessor"><processor>x</processor></mailet>
                  <mailet match="SenderIsWhitelisted=own;sender=both;name=both" class="SenderWhitelist">
                    <name>strict</name>
                    <whitelist>file://conf/partners.txt</whitelist>
                    <requireAuthentication>spf</requireAuthentication>
                  </mailet>
                  <mailet match="All" class="SenderWhitelist">
                    <name>wrong</name><whitelist>own</whitelist><sender>me</sender>
                  </mailet>
                </processor></processors></mailetcontainer>\
                """);
        Files.createDirectory(folder.resolve("var"));
        assertThat(
                        run(
                                "add",
                                "own",
                                "--conf",
                                conf(),
                                "alice@x.example to=sam@here.example origin=user",
                                "bob@x.example"))
                .as(err())
                .isZero();
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text + "\n").toString();
    }

    private String database() {
        return "jdbc:sqlite:" + path("var/lists.db");
    }

    private String conf() {
        return path("conf");
    }

    private int run(String... arguments) {
        out.reset();
        err.reset();
        return Main.run(out, arguments);
    }

    @Test
    void shouldAskSeveralFilesAsOne() {
        String files = conf() + "/partners.txt, " + conf() + "/denied.txt";

        assertThat(run("check", files, "a@partner.example", "mallory@partner.example"))
                .isEqualTo(1);
        assertThat(out())
                .isEqualTo(
                        """
                        a@partner.example\tlisted\tlisted\t@partner.example
                        mallory@partner.example\tnot-listed\tdenied\t!mallory@partner.example
                        """);
    }

    @Test
    void shouldPassOverCharactersAroundThatDoNotShowAndNameThoseWithin() {
        String file = conf() + "/denied.txt," + conf() + "/partners.txt";

        assertThat(run("check", file, "\u200bmallory@partner.example\u00a0")).isEqualTo(1);
        assertThat(out()).startsWith("mallory@partner.example\tnot-listed\tdenied\t");
        assertThat(run("check", file, "mal\u200blory@partner.example")).isEqualTo(1);
        assertThat(out()).startsWith("mal\\u200blory@partner.example\tnot-listed\tmalformed\t");
        assertThat(err()).contains("has U+200B, a character that does not show");
        assertThat(
                        run(
                                "add",
                                "own",
                                "--conf",
                                conf(),
                                "\u200b!dan@x.example\u200b",
                                "\ufeffbob@x.example to=\u200esam@here.example"))
                .as(err())
                .isZero();
        assertThat(run("export", "own", "--conf", conf())).isZero();
        assertThat(out()).contains("\n!dan@x.example\n", "\nbob@x.example to=sam@here.example\n");
    }

    /** One typo among ten lines, and three, do not hold up the others. */
    @Test
    void shouldBuildAListInWhichThreeLinesAreBad() throws IOException {
        String bad = file("bad.txt", "a@b.example\nnonsense\nnonsense\nnonsense");

        assertThat(run("build", bad, "-o", path("bad.swl"))).as(err()).isZero();
        assertThat(err()).contains("bad.txt:2: no '@' in 'nonsense'");
        assertThat(run("check", path("bad.swl"), "a@b.example")).isZero();
        String worse = file("worse.txt", "a@b.example\n" + "nonsense\n".repeat(4));
        assertThat(run("build", worse, "-o", path("worse.swl"))).isEqualTo(2);
        assertThat(err()).contains("4 of 5 entries are bad");
    }

    @Test
    void shouldAskAFileWithACommaInItsName() throws IOException {
        assertThat(run("check", file("a,b.txt", "a@b.example"), "a@b.example")).isZero();
    }

    @Test
    void shouldAskListsByTheirNames() {
        assertThat(run("check", "--conf", conf(), "own,partners", "bob@x.example")).isZero();
        assertThat(run("check", "--conf", conf(), "own,partners", "a@partner.example")).isZero();
        assertThat(run("check", "--database", database(), "own", "bob@x.example")).isZero();
        assertThat(run("check", "--conf", conf(), "own", "a@partner.example")).isEqualTo(1);
    }

    @Test
    void shouldSayThatThereAreEntriesForSomeRecipientsOnly() {
        assertThat(run("check", "--conf", conf(), "own", "alice@x.example")).isEqualTo(1);
        assertThat(out())
                .isEqualTo(
                        "alice@x.example\tnot-listed\tstranger\t"
                                + "(only entries for some recipients; give --to)\n");
        assertThat(
                        run(
                                "check",
                                "--conf",
                                conf(),
                                "own",
                                "alice@x.example",
                                "--to",
                                "sam@here.example"))
                .isZero();
    }

    @Test
    void shouldDecideAsAMailetInAConfiguration() {
        String[] line = {
            "check", "--explain", "--conf", conf(), "--as", "strict", "a@partner.example"
        };
        assertThat(run(line)).isEqualTo(1);
        assertThat(out())
                .startsWith("policy: onLookupFailure=notListed recipientDelimiter=")
                .contains("requireAuthentication=spf sender=envelope", "\tunauthenticated\t");
        line[1] = "--auth=spf";
        assertThat(run(line)).isZero();
    }

    @Test
    void shouldTakeNamesAndConditionsAsJamesDoes() {
        String known = "SenderIsWhitelisted=own";
        assertThat(run("check", "--conf", conf(), "--as", known, "bob@x.example")).isZero();
        String both = "both";
        assertThat(run("check", "--conf", conf(), "--as", both, "bob@x.example")).isZero();
        assertThat(
                        run(
                                "check",
                                "--conf",
                                conf(),
                                "--as",
                                both,
                                "--from",
                                "eve@x.example",
                                "bob@x.example"))
                .isEqualTo(1);
        String[] seen = {"--as", "seen", "--from", "a@partner.example", "eve@x.example"};
        List<String> line = new ArrayList<>(List.of("check", "--conf", conf()));
        line.addAll(List.of(seen));
        assertThat(run(line.toArray(String[]::new))).as(err()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "--conf CONF none a@b.example, 'no list ''none'' in; allowed: partners, own, far'",
        "--conf CONF far a@b.example, '--user is missing, and no list of conf/whitelists.xml has'",
        "--database DATABASE none a@b.example, 'no list ''none''; there are: own'",
        "--conf /nowhere own a@b.example, no /nowhere/whitelists.xml that defines any",
        "--conf /nowhere --as x a@b.example, /nowhere/mailetcontainer.xml: no such file",
        "--conf CONF --as x a@b.example, 'mailetcontainer.xml; allowed:"
                + " SenderIsWhitelisted=own, seen'",
        "--conf CONF --as twice a@b.example, 'has 2 named ''twice'' with different parameters;"
                + " give each a <name>'",
        "--conf CONF --as wrong a@b.example, 'SenderWhitelist: parameter sender = ''me''; allowed'",
        "own, ADDRESS is missing",
        "--conf CONF, LISTS is missing",
        "own a@b.example --message x, '--message: allowed without ADDRESS'",
    })
    void shouldSayWhatIsWrong(String line, String message) {
        String[] arguments =
                ("check " + line)
                        .replace("CONF", conf())
                        .replace("DATABASE", database())
                        .split(" ", -1);

        assertThat(run(arguments)).isEqualTo(2);
        assertThat(out()).isEmpty();
        for (String part : message.split(";", -1)) {
            assertThat(err()).contains(part.strip());
        }
        assertThat(err()).hasLineCount(1);
    }
}
