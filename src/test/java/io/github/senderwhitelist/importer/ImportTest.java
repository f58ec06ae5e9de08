package io.github.senderwhitelist.importer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListRefusedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** What each line of a foreign list becomes, as {@code imports.txt} says, and what all share. */
class ImportTest {
    /** A line of {@code imports.txt}. */
    record Example(ForeignFormat format, String heading, String line, String expected) {}

    private static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        String[] heading = {"", ""};
        try (InputStream in = ImportTest.class.getResourceAsStream("imports.txt")) {
            for (String line : new String(in.readAllBytes(), UTF_8).lines().skip(4).toList()) {
                if (line.startsWith("[") && line.matches("\\[[a-z0-9-]+\\].*")) {
                    heading = line.substring(1).split("\\] ?", 2);
                } else if (!line.isBlank()) {
                    String[] parts = line.split(" => ", 2);
                    examples.add(
                            new Example(
                                    format(heading[0]),
                                    heading[1],
                                    Pattern.compile("<U\\+([0-9A-F]{4})>")
                                            .matcher(parts[0])
                                            .replaceAll(
                                                    c ->
                                                            Character.toString(
                                                                    Integer.parseInt(
                                                                            c.group(1), 16))),
                                    parts[1]));
                }
            }
        }
        return examples;
    }

    private static ForeignFormat format(String name) {
        return ForeignFormat.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void importShouldMakeOfALineWhatTheFormatMeans(Example example) throws IOException {
        String list = (example.heading + "\n" + example.line + "\n").replaceFirst("^\n", "");
        String expected = example.expected;
        if (expected.startsWith("x ")) {
            assertThatThrownBy(() -> Imports.of(example.format, list))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageContaining("1 of 1 lines are bad")
                    .hasMessageContaining(expected.substring(2));
            return;
        }
        Imports imported = Imports.of(example.format, list);
        if (expected.startsWith("- ")) {
            assertThat(imported.lines()).isEmpty();
            assertThat(imported.reports())
                    .singleElement()
                    .asString()
                    .startsWith("list1:")
                    .contains(expected.substring(2));
            assertThat(imported.summary().reported()).isEqualTo(1);
        } else {
            assertThat(imported.lines()).containsExactly(expected.split("\\|", -1));
            assertThat(imported.reports()).isEmpty();
        }
    }

    @Test
    void postfixShouldKeepDomainsApartWithoutParentDomains() throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.POSTFIX,
                        new Import.Settings(false, Subaddressing.NONE, AuthRequirement.NONE, null),
                        List.of(
                                Imports.list(
                                        "t",
                                        "example.com OK\n.example.com REJECT\n".getBytes(UTF_8))));

        assertThat(imported.lines()).containsExactly("@example.com", "!@.example.com");
    }

    @Test
    void postfixShouldJoinContinuedLines() throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.POSTFIX,
                        """
                        # c
                          # an indented comment begins nothing
                        a@example.com
                        # between

                        \tREJECT
                          text
                        b@example.com OK\
                        """
                                .replace("\n", "\r\n"));

        assertThat(imported.lines()).containsExactly("!a@example.com", "b@example.com");
        assertThat(imported.summary()).isEqualTo(new Import.Counts("list1", 8, 2, 0, 0));
    }

    @Test
    void amavisShouldNotTakeWhatIsIndented() throws IOException {
        assertThat(Imports.of(ForeignFormat.AMAVIS, " alice@example.com\n").reports())
                .singleElement()
                .asString()
                .contains("no space before it");
    }

    @Test
    void spamAssassinShouldRevokeExactlyWhatWasListed() throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.SPAMASSASSIN,
                        """
                        welcomelist_from *@a.example a@a.example
                        def_whitelist_auth *@b.example
                        welcomelist_from_dkim c@c.example c.example
                        welcomelist_from_dkim c@c.example
                        welcomelist_from_dkim d@c.example c.example
                        """,
                        """
                        unwhitelist_from A@a.example
                        unwelcomelist_auth *@b.example
                        unwelcomelist_from_dkim c@c.example
                        unwelcomelist_from_dkim d@c.example c.example
                        unwelcomelist_from *@*.a.example
                        """);

        assertThat(imported.lines()).containsExactly("@a.example", "c@c.example auth=dkim");
        assertThat(imported.reports())
                .singleElement()
                .asString()
                .startsWith("list2:5: '*@*.a.example': revokes a pattern");
    }

    @Test
    void spamAssassinSqlShouldRevokeForItsUserOnly() throws IOException {
        Imports table =
                Imports.of(
                        ForeignFormat.SPAMASSASSIN_SQL,
                        """
                        username,preference,value
                        @GLOBAL,whitelist_from,*@example.com
                        sam@here.example,welcomelist_from,alice@example.com
                        sam@here.example,required_score,5
                        ann@here.example,unwhitelist_from,alice@example.com
                        sam@here.example,unwhitelist_from,alice@example.com
                        sam@here.example,unwhitelist_from,*@example.com
                        """);
        assertThat(table.lines()).containsExactly("@example.com");
        assertThat(table.reports())
                .satisfiesExactly(
                        report -> assertThat(report).contains("list1:5: ", "no earlier line"),
                        report -> assertThat(report).contains("list1:7: ", "no earlier line"));
    }

    @Test
    void spamAssassinShouldFollowConditions() throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.SPAMASSASSIN,
                        """
                        if can(Mail::SpamAssassin::Conf::feature_welcomelist_blocklist)
                          welcomelist_from a@example.com
                          if (version < 3.004)
                            welcomelist_from b@example.com
                          else
                            welcomelist_from c@example.com
                          endif
                        endif # x
                        if !plugin(Mail::SpamAssassin::Plugin::SPF)
                          if (version >= 3.4)
                            welcomelist_from d@example.com
                          else
                            welcomelist_from e@example.com
                          endif
                        else
                          welcomelist_from f@example.com
                        endif
                        ifplugin Mail::SpamAssassin::Plugin::DKIM
                        welcomelist_from g@example.com
                        """,
                        "welcomelist_from h@example.com\n");

        assertThat(imported.lines())
                .containsExactly(
                        "a@example.com",
                        "c@example.com",
                        "f@example.com",
                        "g@example.com",
                        "h@example.com");
        assertThat(imported.summary()).isEqualTo(new Import.Counts("list1", 19, 4, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(system('x'))",
                "(1)",
                "!",
                "version",
                "(version == 4.000001)",
                "(perl_version >= 5.018000)",
                "local_tests_only",
                "plugin(Mail::SpamAssassin::Plugin::SPF) || version >= 3",
                "can(Mail::SpamAssassin::Conf::a) && (version > 3)",
            })
    void spamAssassinShouldPassOverWhatAnUnknownConditionGoverns(String condition)
            throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.SPAMASSASSIN,
                        """
                        if %s
                          welcomelist_from a@example.com
                          if (version >= 3)
                            welcomelist_from b@example.com
                          endif
                        else
                          welcomelist_from c@example.com
                        endif
                        welcomelist_from d@example.com
                        """
                                .formatted(condition));

        assertThat(imported.lines()).containsExactly("d@example.com");
        assertThat(imported.reports())
                .containsExactly(
                        "list1:1: '"
                                + condition
                                + "': a condition that is not evaluated; the lines it governs are"
                                + " passed over");
    }

    private static Imports rspamd(String name, AuthRequirement auth, String map)
            throws IOException {
        return Imports.of(
                ForeignFormat.RSPAMD,
                Imports.settings(auth),
                List.of(Imports.list(name, map.getBytes(UTF_8))));
    }

    @Test
    void rspamdShouldAskForConfirmationWhereItsWhitelistModuleDoes() throws IOException {
        Imports imported =
                rspamd(
                        "/etc/rspamd/dmarc_whitelist.inc.local",
                        AuthRequirement.DKIM,
                        """
                        # Domains with valid DMARC and DKIM
                        paypal.com both:1.0
                        github.com 2.0
                        example.org
                        mailgun.net bl:1.0
                        alice@example.com
                        *.example.com
                        /@example\\.com$/i
                        """);

        assertThat(imported.lines())
                .containsExactly(
                        "@paypal.com auth=dkim", "@github.com auth=dkim", "@example.org auth=dkim");
        assertThat(imported.reports())
                .satisfiesExactly(
                        report -> assertThat(report).contains("'bl:'"),
                        report -> assertThat(report).contains("'alice@example.com'", "only domain"),
                        report -> assertThat(report).contains("'*.example.com'", "only domains"),
                        report -> assertThat(report).contains("$/i'", "only domains"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "dmarc_whitelist.inc => example.com => --auth any",
                "/etc/rspamd/local.d/maps.d/spf_dkim_whitelist.inc.local => example.com => --auth",
                "mine.map => example.com both:1.0 => mine.map:1: this is of Rspamd's whitelist",
                "mine.map => example.com bl:1.0 => mine.map:1: this is of Rspamd's whitelist",
                "mine.map => '\"example.com\" wl:2' => mine.map:1: this is of Rspamd's whitelist",
                "/usr/share/rspamd/2tld.inc => co.uk => lists no senders",
                "surbl-whitelist.inc.local => example.com => lists no senders",
                "maillist.inc.gz => example.com => lists no senders",
            })
    void rspamdShouldRefuseMapsOfOtherKinds(String name, String map, String expected) {
        assertThatThrownBy(() -> rspamd(name, AuthRequirement.NONE, map + "\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith(name + ":")
                .hasMessageContaining(expected)
                .hasMessageContaining("Nothing was imported");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"my_redirectors.inc", "whitelist.mid.map", "/redirectors/from.map", "-"})
    void rspamdShouldTakeMapsOfOtherNames(String name) throws IOException {
        assertThat(rspamd(name, AuthRequirement.NONE, "example.com\n").lines())
                .containsExactly("@example.com");
    }

    /** With another delimiter, the list would list senders that the other program does not. */
    @ParameterizedTest
    @CsvSource({
        "POSTFIX,-,-",
        "SPAMASSASSIN,+,none",
        "AMAVIS,+,none",
        "MAILSCANNER,+,none",
        "RSPAMD,none,+",
        "LIST,none,+",
        "VCARD,none,+",
        "M365,+,none",
        "JAMES38,+,none"
    })
    void importShouldSayHowTheOtherProgramFindsTags(
            ForeignFormat format, String set, String expected) {
        Import.Settings settings =
                new Import.Settings(
                        true,
                        Subaddressing.VALUES.parse(set).orElseThrow(),
                        AuthRequirement.NONE,
                        Imports.DEFAULT.user());
        Import imported = new Import(format, settings, List.of(), report -> {});
        assertThat(imported.subaddressing().label()).isEqualTo(expected);
    }

    @Test
    void importShouldBeRefusedWhenNoLineListsASender() {
        Import imported =
                new Import(
                        ForeignFormat.POSTFIX,
                        Imports.DEFAULT,
                        List.of(Imports.list("t", "#x\n192.0.2.0/24 OK\n".getBytes(UTF_8))),
                        report -> {});

        assertThatThrownBy(() -> imported.readAllBytes())
                .isInstanceOf(ListRefusedException.class)
                .hasMessage(
                        "no line lists a sender: t: 2 lines: 0 taken, 1 without equivalent, 0 bad,"
                                + " 1 others. Nothing was imported");
    }

    @Test
    void m365ShouldReadPolicies() throws IOException {
        String csv =
                """
                #TYPE Selected.System.Management.Automation.PSCustomObject
                "Name";"AllowedSenders";"AllowedSenderDomains";"BlockedSenders"

                "Default";"{a@contoso.com, b@contoso.com}";"fabrikam.com
                tailspintoys.com";"c@fabrikam.com"
                "Other";"";""
                """;
        Imports imported = Imports.of(ForeignFormat.M365, csv);

        assertThat(imported.lines())
                .containsExactly(
                        "a@contoso.com",
                        "b@contoso.com",
                        "@fabrikam.com",
                        "@tailspintoys.com",
                        "!c@fabrikam.com");
        assertThat(imported.summary()).isEqualTo(new Import.Counts("list1", 6, 1, 0, 0));
        assertThat(Imports.of(ForeignFormat.M365, ("\ufeff" + csv).getBytes(UTF_16LE)).lines())
                .isEqualTo(imported.lines());
    }

    /** Export-Csv writes the type of a list, not its values. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "System.Collections.ArrayList",
                "System.Collections.Generic.List`1[System.String]",
                "System.String[]",
                "Microsoft.Exchange.Data.MultiValuedProperty`1[System.String]"
            })
    void m365ShouldRefuseTheTypeOfAList(String type) {
        String csv = "Name,AllowedSenders\nDefault,\"" + type + "\"\n";
        assertThatThrownBy(() -> Imports.of(ForeignFormat.M365, csv))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("list1:2: '" + type + "' is the type of a list")
                .hasMessageContaining("$_.AllowedSenders -join ';'");
    }

    @ParameterizedTest
    @EnumSource(names = {"M365", "JAMES38", "SPAMASSASSIN_SQL", "CSV"})
    void importShouldRefuseTablesOfOtherColumns(ForeignFormat format) {
        assertThatThrownBy(() -> Imports.of(format, "a,b,c\n1,2,3\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith(
                        "list1:1: the first line names no columns we know (a, b, c); expected: ");
    }

    @Test
    void importShouldReadSeveralListsInOrderAndCountTheirLines() throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.RSPAMD,
                        "a@example.com\n\n/re/\n# c\nscore@host extra\n",
                        "b@example.com\n/more/");

        assertThat(imported.lines())
                .containsExactly("a@example.com", "score@host", "b@example.com");
        assertThat(imported.reports())
                .satisfiesExactly(
                        report -> assertThat(report).startsWith("list1:3: '/re/': an expression"),
                        report -> assertThat(report).startsWith("list2:2: '/more/': an expr"));
        assertThat(imported.summaries())
                .containsExactly(
                        new Import.Counts("list1", 5, 2, 1, 0),
                        new Import.Counts("list2", 2, 1, 1, 0));
        assertThat(imported.summary())
                .hasToString("list1: 5 lines: 2 taken, 1 without equivalent, 0 bad, 2 others");
    }

    private static String good(int count) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append("ok").append(i).append("@example.net OK\n");
        }
        return lines.toString();
    }

    @Test
    void importShouldGoOnAfterThreeBadLinesAndAfterOneInAHundred() throws IOException {
        Imports imported = Imports.of(ForeignFormat.POSTFIX, good(1) + "a@b@c OK\n".repeat(3));

        assertThat(imported.lines()).hasSize(1);
        assertThat(imported.reports()).hasSize(3).first().asString().startsWith("list1:2: ");
        assertThat(imported.summary().bad()).isEqualTo(3);
        assertThat(Imports.of(ForeignFormat.POSTFIX, good(396) + "a@b@c OK\n".repeat(4)).lines())
                .hasSize(396);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a@b@c OK\n", "nothing\n"})
    void importShouldBeRefusedWithMoreBadLinesThanOneInAHundred(String bad) {
        assertThatThrownBy(() -> Imports.of(ForeignFormat.POSTFIX, good(395) + bad.repeat(4)))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("4 of 399 lines are bad")
                .hasMessageContaining("list1:396: ");
    }

    @Test
    void importShouldBeRefusedWhenAContinuationContinuesNothing() {
        assertThatThrownBy(() -> Imports.of(ForeignFormat.POSTFIX, "  REJECT\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining("continues no line");
    }

    @Test
    void importShouldNotBeRefusedForLinesWithoutEquivalent() throws IOException {
        Imports imported = Imports.of(ForeignFormat.POSTFIX, good(1) + "user@ OK\n".repeat(50));

        assertThat(imported.lines()).hasSize(1);
        assertThat(imported.summary().reported()).isEqualTo(50);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "POSTFIX | ~eve@example.com REJECT",
                "POSTFIX | eve@example.com~ REJECT~",
                "SPAMASSASSIN | ~blocklist_from eve@example.com",
                "SPAMASSASSIN | blocklist_from ~eve@example.com~",
                "M365 | BlockedSenders\\n~eve@example.com~",
                "M365 | Value,Action\\n~eve@example.com~,~Block",
                "AMAVIS | eve@example.com~",
                "MAILSCANNER | ~From: ~eve@example.com~ yes~",
                "RSPAMD | ~eve@example.com~",
                "JAMES38 | localUser,localHost,remoteUser,remoteHost\\n"
                        + "*,~here.example~,~eve,example.com~"
            })
    void importShouldPassOverCharactersAroundThatDoNotShow(ForeignFormat format, String list)
            throws IOException {
        for (String hidden : List.of("\u200b", "\u00a0", "\ufeff", "\u202e")) {
            String text = list.replace("\\n", "\n");
            assertThat(Imports.of(format, text.replace("~", hidden)).lines())
                    .as("U+%04x", (int) hidden.charAt(0))
                    .hasSize(1)
                    .isEqualTo(Imports.of(format, text.replace("~", "")).lines());
            String within = text.replace("~", "").replace("eve", "e" + hidden + "ve");
            assertThatThrownBy(() -> Imports.of(format, within))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageContaining("1 of 1 lines are bad")
                    .hasMessageContaining("U+%04X", (int) hidden.charAt(0));
        }
    }

    @Test
    void importShouldReadFilesThatWereJoinedWithTheirByteOrderMarks() throws IOException {
        String joined = "\ufeffa@b.example OK\n\ufeff# c\n\ufeffc@d.example\n OK\n";
        assertThat(Imports.of(ForeignFormat.POSTFIX, joined).lines())
                .containsExactly("a@b.example", "c@d.example");
    }

    @Test
    void importShouldReadGzipAndSayWhichIsDamaged() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(good(1000).getBytes(UTF_8));
        }
        byte[] whole = packed.toByteArray();
        Import.Source good = Imports.list("good.gz", whole);
        Import.Source bad = Imports.list("bad.gz", Arrays.copyOf(whole, whole.length / 2));

        assertThat(Imports.of(ForeignFormat.POSTFIX, Imports.DEFAULT, List.of(good)).lines())
                .hasSize(1000);
        List<Import.Source> both = List.of(good, bad);
        assertThatThrownBy(() -> Imports.of(ForeignFormat.POSTFIX, Imports.DEFAULT, both))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("bad.gz:394: damaged gzip data");
    }

    @Test
    void importShouldNotTakeBytesThatAreNotUtf8() throws IOException {
        byte[] table = (good(200) + "jos\u00e9@example.com OK\n").getBytes(ISO_8859_1);
        Imports imported = Imports.of(ForeignFormat.POSTFIX, table);

        assertThat(imported.lines()).hasSize(200);
        assertThat(imported.reports()).singleElement().asString().contains("not UTF-8");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTFIX", "CSV", "VCARD"})
    void importShouldRefuseBinaryData(ForeignFormat format) {
        String list = format == ForeignFormat.VCARD ? "BEGIN:VCARD\nN:\nN:\n" : "email\na\nb\n";
        assertThatThrownBy(() -> Imports.of(format, list + "a\u0000b OK\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageMatching("list1:[12]: binary data \\(a zero byte in line 4\\).*");
    }

    @ParameterizedTest
    @CsvSource({"POSTFIX, x", "LDIF, 'mail: x@y.example\n '", "VCARD, 'BEGIN:VCARD\nEMAIL:'"})
    void importShouldNotKeepALongLineInMemory(ForeignFormat format, String start) {
        assertThatThrownBy(() -> Imports.of(format, start + "x".repeat(1 << 20)))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageMatching(
                        "(?s)1 of 1 .*\\(655\\d\\d characters\\).*more than 65536 characters");
    }

    /** Backtracking would overflow the stack. */
    @ParameterizedTest
    @CsvSource({
        "POSTFIX, a",
        "POSTFIX, '\"a\"'",
        "POSTFIX, \\a",
        "AMAVIS, a",
        "AMAVIS, '\"\\a\"'",
        "MAILSCANNER, a ",
        "RSPAMD, \\#",
        "RSPAMD, '\"a'",
        "RSPAMD, '/a\\.'",
        "LIST, *@",
        "SPAMASSASSIN, 'if ('",
        "M365, 'value,action'",
    })
    void importShouldStandLongLinesOfAnyKind(ForeignFormat format, String part) throws IOException {
        String line = part.repeat(65_000 / part.length());
        try {
            assertThat(Imports.of(format, line).summary().lines()).isEqualTo(1);
        } catch (ListRefusedException e) {
            assertThat(e).hasMessageMatching("(?s)1 of 1 lines are bad.*|list1:1: .*");
        }
    }
}
