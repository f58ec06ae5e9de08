package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** {@code build --from}: the lists of other programs. */
class BuildFromTest extends CommandTest {

    @BeforeEach
    void begin() throws IOException {
        Files.writeString(
                folder.resolve("access"),
                """
                # senders
                Alice@Example.com   OK
                example.org         OK
                mallory@example.org REJECT
                postmaster@         OK
                """);
        try (OutputStream more = Files.newOutputStream(folder.resolve("more.gz"));
                OutputStream packed = new GZIPOutputStream(more)) {
            packed.write("example.net OK\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    private String printed() {
        String text = out();
        out.reset();
        return text;
    }

    @Test
    void shouldBuildOfSeveralListsAndSayWhatBecameOfTheirLines() {
        int exit =
                Main.run(
                        "build",
                        "--from",
                        "postfix",
                        path("access"),
                        path("more.gz"),
                        "-o",
                        path("a.swl"));

        assertThat(err())
                .isEqualTo(
                        path("access")
                                + ":5: 'postmaster@': a user at every domain has no"
                                + " equivalent\n"
                                + "tags count as in the other program only with the parameter"
                                + " subaddressDelimiter none;"
                                + " with +, the default, alice@example.com also lists"
                                + " alice+news@example.com\n");
        assertThat(exit).isZero();
        assertThat(printed().lines())
                .hasSize(3)
                .startsWith(
                        path("access")
                                + ": 5 lines: 3 taken, 1 without equivalent, 0 bad, 1 others",
                        path("more.gz")
                                + ": 1 lines: 1 taken, 0 without equivalent, 0 bad, 0 others");
        assertThat(Main.run("export", path("a.swl"))).isZero();
        assertThat(printed())
                .isEqualTo(
                        """
                        @.example.net
                        @.example.org
                        @example.net
                        @example.org
                        alice@example.com
                        !mallory@example.org
                        """);
    }

    @Test
    void shouldBuildWithConditions() throws IOException {
        Files.writeString(folder.resolve("local.cf"), "welcomelist_auth *@example.com\n");
        int exit =
                Main.run("build", "--from", "spamassassin", path("local.cf"), "-o", path("a.swl"));

        assertThat(exit).as(err()).isZero();
        printed();
        Main.run("export", path("a.swl"));
        assertThat(printed()).isEqualTo("@example.com auth=any\n");
    }

    /** With the default delimiter, no message is needed. */
    @ParameterizedTest
    @CsvSource({"postfix,+,false", "postfix,-,true", "postfix,none,true", "rspamd,,false"})
    void shouldSayHowTagsAreToBeTold(String format, @Nullable String delimiter, boolean said)
            throws IOException {
        Files.writeString(folder.resolve("access"), "alice@example.com OK\n");
        List<String> arguments =
                new ArrayList<>(
                        List.of("build", "--from", format, path("access"), "-o", path("a.swl")));
        if (delimiter != null) {
            arguments.add("--recipient-delimiter=" + delimiter);
        }

        assertThat(Main.run(arguments.toArray(new String[0]))).as(err()).isZero();
        assertThat(err().contains("subaddressDelimiter " + delimiter + ";")).isEqualTo(said);
        assertThat(err().isEmpty()).isEqualTo(!said);
    }

    @Test
    void shouldAskForConfirmationWhereRspamdDoes() throws IOException {
        Files.writeString(folder.resolve("dmarc_whitelist.inc"), "paypal.com both:1.0\n");
        String map = path("dmarc_whitelist.inc");
        assertThat(Main.run("build", "--from", "rspamd", map, "-o", path("a.swl"))).isEqualTo(2);
        assertThat(err().lines()).singleElement().asString().contains("--auth any");

        int exit = Main.run("build", "--from", "rspamd", "--auth=any", map, "-o", path("a.swl"));
        assertThat(exit).as(err()).isZero();
        printed();
        Main.run("export", path("a.swl"));
        assertThat(printed()).isEqualTo("@paypal.com auth=any\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "postfx => option '--from': 'postfx'; allowed: postfix, spamassassin,"
                        + " spamassassin-sql, rspamd, m365, james38, list",
                "rspamd --no-parent-domains => allowed only with --from postfix",
                "m365 => names no columns we know",
                "spamassassin => no line lists a sender: FOLDER/access: 5 lines: 0 taken",
                "rspamd --recipient-delimiter + => allowed only with --from postfix",
                "postfix --auth dkim => allowed only with --from rspamd",
                "postfix --for sam@x.example => --for: allowed only with --from vcard",
                "vcard => --for is missing; allowed: the address of the user whose address book",
                "vcard --for sam@x.example => no line lists a sender",
            })
    void shouldRefuseInOneLineAndWriteNothing(String options, String expected) throws IOException {
        String[] arguments =
                Stream.of("build", "--from", options, path("access"), "-o", path("a.swl"))
                        .flatMap(part -> Stream.of(part.split(" ", -1)))
                        .toArray(String[]::new);

        assertThat(Main.run(arguments)).isEqualTo(2);
        assertThat(err()).contains(expected.replace("FOLDER", folder.toString()));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(Path::getFileName).map(Path::toString))
                    .containsExactlyInAnyOrder("access", "more.gz");
        }
    }
}
