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
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Tests what each line of a foreign list becomes. */
class ImportTest {
    /** Expects these lines of our list, separated by |, or after "- " the beginning of a report. */
    private static void shouldBecome(ForeignFormat format, String text, String expected)
            throws IOException {
        Imports imported = Imports.of(format, text);
        if (expected.startsWith("- ")) {
            assertThat(imported.lines()).isEmpty();
            assertThat(imported.reports()).hasSize(1);
            assertThat(imported.reports().getFirst())
                    .startsWith("list1:")
                    .contains(expected.substring(2));
            assertThat(imported.summary().reported()).isPositive();
        } else {
            assertThat(imported.lines()).containsExactly(expected.split("\\|", -1));
            assertThat(imported.reports()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "Alice@Example.COM OK => alice@example.com",
                "alice@example.com ok whatever => alice@example.com",
                "alice@example.com 1234567890 => alice@example.com",
                "alice@example.com 550 => alice@example.com",
                "alice@example.com permit => alice@example.com",
                "alice@example.com 550 5.7.1 no => !alice@example.com",
                "alice@example.com REJECT => !alice@example.com",
                "alice@example.com reject go away => !alice@example.com",
                "alice@example.com DISCARD => !alice@example.com",
                "alice@example.com OKAY, => - depends on more than the sender",
                "alice@example.com permit_mynetworks, reject => - depends on more than the sender",
                "alice@example.com reject_unverified_sender => - depends on more than the sender",
                "alice@example.com REJECT, permit => - depends on more than the sender",
                "alice@example.com DUNNO => - 'DUNNO' neither accepts nor refuses",
                "alice@example.com WARN x => - 'WARN' neither accepts nor refuses",
                "alice@example.com PREPEND X-A: b => - neither accepts nor refuses",
                "alice@example.com INFO x => - neither accepts nor refuses",
                "alice@example.com hold it => - neither accepts nor refuses",
                "alice@example.com BCC a@example.com => - neither accepts nor refuses",
                "alice@example.com REDIRECT a@example.com => - neither accepts nor refuses",
                "alice@example.com FILTER smtp:[::1] => - neither accepts nor refuses",
                "alice@example.com DEFER => - neither accepts nor refuses",
                "alice@example.com DEFER_IF_PERMIT x => - neither accepts nor refuses",
                "alice@example.com DEFER_IF_REJECT x => - neither accepts nor refuses",
                "alice@example.com 450 4.7.1 later => - '450' neither accepts nor refuses",
                "example.com DUNNO => - a wider pattern that is taken counts for this sender",
                "example.com OK => @example.com|@.example.com",
                "example.com REJECT => !@example.com|!@.example.com",
                "com OK => @com|@.com",
                "bücher.example OK => @xn--bcher-kva.example|@.xn--bcher-kva.example",
                "[192.0.2.1] OK => @[192.0.2.1]",
                "'\"a b\"@example.com OK' => '\"a b\"@example.com'",
                "!x@example.com OK => '\"!x\"@example.com'",
                ".example.com OK => - --no-parent-domains",
                "alice@ OK => - a user at every domain",
                "'\"alice\"@example.com OK' => - write alice@example.com",
                "<> OK => - null sender",
                "10.1 OK => - network address",
                "5.135.24.0/24 OK => - network address",
                "!10.0.0.0/8 OK => - network address",
                "2001:db8::1 OK => - network address",
                "2001:db8::/32 OK => - network address",
                "[2001:db8::]/32 OK => - network address",
                "if 10.0.0.0/8 => - a condition",
                "if !/example/ => - a condition",
                "endif => - a condition",
                "/@example/ OK => - regular expressions",
                "@example.com OK => - without '@'",
                "*@example.com OK => - no '*'",
            })
    void shouldReadPostfixTables(String line, String expected) throws IOException {
        shouldBecome(ForeignFormat.POSTFIX, line + "\n", expected);
    }

    @Test
    void shouldReadPostfixTablesWithoutParentDomains() throws IOException {
        byte[] table = "example.com OK\n.example.com REJECT\n".getBytes(UTF_8);
        Imports imported =
                Imports.of(
                        ForeignFormat.POSTFIX,
                        new ImportSettings(false, Subaddressing.NONE, AuthRequirement.NONE, null),
                        List.of(new ForeignList("t", () -> new ByteArrayInputStream(table))));

        assertThat(imported.lines()).containsExactly("@example.com", "!@.example.com");
    }

    @Test
    void shouldPutLogicalLinesOfPostfixTogether() throws IOException {
        String table =
                """
                # c
                a@example.com
                # between

                \tREJECT
                  text
                b@example.com OK\
                """;
        Imports imported = Imports.of(ForeignFormat.POSTFIX, table.replace("\n", "\r\n"));

        assertThat(imported.lines()).containsExactly("!a@example.com", "b@example.com");
        assertThat(imported.summary()).isEqualTo(new ImportSummary("list1", 4, 0, 0, 0, 3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "welcomelist_from Alice@Example.com => alice@example.com",
                "whitelist_from *@example.com b@example.org => @example.com|b@example.org",
                "welcomelist_from *@*.example.com => @.example.com",
                "welcomelist_from *.example.com => @.example.com",
                "welcomelist_from ***@example.com => @example.com",
                "Whitelist-Auth *@example.com  # why => @example.com auth=any",
                "def_welcomelist_auth a@example.com => a@example.com auth=any",
                "whitelist_from_spf a@example.com => a@example.com auth=spf",
                "welcomelist_from_dkim a@example.com => a@example.com auth=dkim",
                "welcomelist_from_dkim *@*.example.com Example.com => @.example.com auth=dkim",
                "blacklist_from mallory@example.com => !mallory@example.com",
                "welcomelist_from_dkim a@example.com example.org => - signed by example.org",
                "welcomelist_from_dkim a@myexample.com example.com => - signed by example.com",
                "welcomelist_from_dkim *@* example.com => - signed by example.com",
                "welcomelist_from_rcvd a@example.com example.com => - host name",
                "welcomelist_from *example.com => - evilexample.com",
                "welcomelist_from *@*example.com => - evilexample.com",
                "welcomelist_from * => - every sender",
                "welcomelist_from *@* => - every sender",
                "welcomelist_from a?c@example.com => - any character",
                "welcomelist_from a*@example.com => - other patterns",
                "welcomelist_from a@*.example.com => - other patterns",
                "welcomelist_from *@example.* => - other patterns",
                "welcomelist_from *@.example.com => - other patterns",
                "welcomelist_from *.a@example.com => - other patterns",
                "welcomelist_from @example.com => - matches no address",
                "welcomelist_from example.com => - matches no address",
                "welcomelist_from a@example.com. => - matches no address",
                "welcomelist_to a@example.com => - lists no senders",
                "unwelcomelist_from a@example.com => - revokes a pattern that no earlier line",
                "include other.cf => - not followed",
            })
    void shouldReadSpamAssassinsSettings(String line, String expected) throws IOException {
        shouldBecome(ForeignFormat.SPAMASSASSIN, line + "\n", expected);
    }

    @Test
    void shouldTakeBackExactlyWhatWasListed() throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.SPAMASSASSIN,
                        """
                        welcomelist_from *@a.example a@a.example
                        def_whitelist_auth *@b.example
                        welcomelist_from_dkim c@c.example c.example
                        welcomelist_from_dkim c@c.example
                        """,
                        """
                        unwhitelist_from A@a.example
                        unwelcomelist_auth *@b.example
                        unwelcomelist_from_dkim c@c.example
                        unwelcomelist_from *@*.a.example
                        """);

        assertThat(imported.lines()).containsExactly("@a.example", "c@c.example auth=dkim");
        assertThat(imported.reports())
                .singleElement()
                .asString()
                .startsWith("list2:4: '*@*.a.example': revokes a pattern");
    }

    @Test
    void shouldFollowSpamAssassinsConditions() throws IOException {
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
        assertThat(imported.summary()).isEqualTo(new ImportSummary("list1", 4, 0, 0, 15, 0));
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
    void shouldPassOverWhatAConditionItDoesNotKnowGoverns(String condition) throws IOException {
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

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "Alice@Example.com => alice@example.com",
                "alice@example.com 10.0 # c => alice@example.com",
                "example.com => @example.com",
                "example.com#comment => @example.com",
                "@example.com => - without '@'",
                "alice+news@example.com => - takes tags off senders",
                "a.b@gmail.com => - takes the dots off senders at Gmail",
                "A.B@GoogleMail.com => - takes the dots off senders at Gmail",
                "ab@gmail.com => ab@gmail.com",
                "example.com 2.0 => @example.com",
                "*@example.com => @example.com",
                "*.example.com => @.example.com",
                "'\"alice@example.com\" x' => alice@example.com",
                "*example.com => - evilexample.com",
                "/^alice@example\\.com$/i => alice@example.com",
                "/^a\\.b\\+c\\-d_e@x\\-y\\.example\\.com$/ => - takes tags off senders",
                "/^A\\.b\\-d_e\\@x-y\\.example\\.com$/ 10.0 => a.b-d_e@x-y.example.com",
                "/^alice@example.com$/i # c => alice@example.com",
                "/^a\\.b@gmail\\.com$/i => - takes the dots off senders at Gmail",
                "/@example\\.com$/i => @example.com",
                "/.+@example\\.com$/i => @example.com",
                "/^.+@example\\.com$/i => @example.com",
                "/^.*\\@example\\.com$/i => @example.com",
                "/^[^@]+@example\\.com$/ => @example.com",
                "/^example\\.com$/i => @example.com",
                "/@(.+\\.)?example\\.com$/i => @example.com|@.example.com",
                "/^.+@(?:.*\\.)?example\\.com$/i => @example.com|@.example.com",
                "/[@.]example\\.com$/i => @example.com|@.example.com",
                "/^.*(@|\\.)example\\.com$/i => @example.com|@.example.com",
                "/@.+\\.example\\.com$/i => @.example.com",
                "/\\.example\\.com$/i => @.example.com",
                "/example\\.com$/i => - an expression that says more or less",
                "/@example\\.com/i => - an expression that says more or less",
                "/.+example\\.com/i => - an expression that says more or less",
                "/.+example\\.com$/i => - an expression that says more or less",
                "/.example\\.com$/i => - an expression that says more or less",
                "/^@example\\.com$/i => - an expression that says more or less",
                "/alice@example\\.com$/i => - an expression that says more or less",
                "/^alice@example\\.com/i => - an expression that says more or less",
                "/^ali.*@example\\.com$/i => - an expression that says more or less",
                "/^alice|bob@example\\.com$/i => - an expression that says more or less",
                "/^(alice|bob)@example\\.com$/i => - an expression that says more or less",
                "/^alice@example\\.(com|org)$/i => - an expression that says more or less",
                "/^a..e@example\\.com$/i => - an expression that says more or less",
                "/^alice@.example\\.com$/i => - an expression that says more or less",
                "/^\\w+@example\\.com$/i => - an expression that says more or less",
                "/^alice@example\\.com$/ix => - an expression that says more or less",
                "/^alice@example\\.com$ => - an expression that says more or less",
                "/^postmaster$/i => - an expression that says more or less",
                "/ => - an expression that says more or less",
                "/@example\\.com$/i/@example\\.org$/i => - an expression that says more or less",
                "/@(.+\\.)*example\\.com$/i => - an expression that says more or less",
                "/@(.+.)?example\\.com$/i => - an expression that says more or less",
                "/\\.+example\\.com$/i => - an expression that says more or less",
                "/^a\\.+@example\\.com$/i => - an expression that says more or less",
                "/^a+@example\\.com$/i => - an expression that says more or less",
                "/^$/i => - an expression that says more or less",
                "postmaster => - a user at every domain",
                "192.0.2.0/24 => - network address",
                "!2001:db8::/32 => - network address",
            })
    void shouldReadRspamdsMaps(String line, String expected) throws IOException {
        shouldBecome(ForeignFormat.RSPAMD, line + "\n", expected);
    }

    private static Imports rspamd(String name, AuthRequirement auth, String map)
            throws IOException {
        return Imports.of(
                ForeignFormat.RSPAMD,
                new ImportSettings(true, Subaddressing.NONE, auth, null),
                List.of(
                        new ForeignList(
                                name, () -> new ByteArrayInputStream(map.getBytes(UTF_8)))));
    }

    @Test
    void shouldAskForConfirmationWhereRspamdsWhitelistModuleDoes() throws IOException {
        Imports imported =
                rspamd(
                        "/etc/rspamd/dmarc_whitelist.inc.local",
                        AuthRequirement.DKIM,
                        """
                        # Domains with valid DMARC and DKIM
                        paypal.com both:1.0
                        github.com 2.0
                        example.org
                        example.net wl:1.0
                        mailgun.net bl:1.0
                        alice@example.com
                        *.example.com
                        /@example\\.com$/i
                        """);

        assertThat(imported.lines())
                .containsExactly(
                        "@paypal.com auth=dkim",
                        "@github.com auth=dkim",
                        "@example.org auth=dkim",
                        "@example.net auth=dkim");
        assertThat(imported.reports())
                .extracting(report -> report.substring(report.indexOf("'")))
                .containsExactly(
                        "'mailgun.net': with 'bl:' a domain only counts against unconfirmed mails,"
                                + " and lists no sender",
                        "'alice@example.com': matches nothing in Rspamd's whitelist module, which"
                                + " knows only domains",
                        "'*.example.com': matches nothing in Rspamd's whitelist module, which knows"
                                + " only domains",
                        "'/@example\\.com$/i': matches nothing in Rspamd's whitelist module, which"
                                + " knows only domains");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "dmarc_whitelist.inc => example.com => --auth any",
                "/etc/rspamd/local.d/maps.d/spf_dkim_whitelist.inc.local => example.com => --auth",
                "spf_whitelist.map => example.com => --auth spf",
                "mine.map => example.com both:1.0 => mine.map:1: this is of Rspamd's whitelist"
                        + " module",
                "mine.map => example.com bl:1.0 => mine.map:1: this is of Rspamd's whitelist"
                        + " module",
                "mine.map => '\"example.com\" wl:2' => mine.map:1: this is of Rspamd's whitelist"
                        + " module",
                "mine.map => example.com /^<[a-f0-9]+>$/ => mine.map:1: a regular expression behind"
                        + " a",
                "/usr/share/rspamd/2tld.inc => co.uk => not for senders",
                "redirectors.inc => bit.ly => services that shorten links",
                "mid.inc => example.com => Message-IDs",
                "surbl-whitelist.inc.local => example.com => links that are not looked up",
                "maillist.inc.gz => example.com => mass mail",
            })
    void shouldRefuseMapsOfOtherKinds(String name, String map, String expected) {
        assertThatThrownBy(() -> rspamd(name, AuthRequirement.NONE, map + "\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith(name + ":")
                .hasMessageContaining(expected)
                .hasMessageContaining("Nothing was imported");
    }

    @Test
    void shouldTakeMapsOfOtherNames() throws IOException {
        for (String name : List.of("my_redirectors.inc", "mid", "/redirectors/from.map", "-")) {
            String map = name.equals("mid") ? "whitelist.mid.map" : name;
            assertThat(rspamd(map, AuthRequirement.NONE, "example.com\n").lines())
                    .containsExactly("@example.com");
        }
    }

    /** With another delimiter, the list would list senders that the other program does not. */
    @ParameterizedTest
    @CsvSource({
        "POSTFIX,none,none",
        "POSTFIX,+,+",
        "POSTFIX,-,-",
        "SPAMASSASSIN,+,none",
        "RSPAMD,none,+",
        "M365,+,none",
        "JAMES38,+,none"
    })
    void shouldFindTagsAsTheOtherProgramDoes(ForeignFormat format, String set, String expected) {
        ImportSettings settings =
                new ImportSettings(
                        true,
                        Subaddressing.VALUES.parse(set).orElseThrow(),
                        AuthRequirement.NONE,
                        null);
        assertThat(
                        new Import(format, settings, List.of(), report -> {}, true)
                                .subaddressing()
                                .label())
                .isEqualTo(expected);
    }

    @Test
    void shouldSayThatATableIsOfClients() {
        List<String> reports = new ArrayList<>();
        String table = "#x\n5.135.24.0/24 permit\n2001:db8::/32 permit\n192.0.2.1 permit\n";
        Import imported =
                new Import(
                        ForeignFormat.POSTFIX,
                        Imports.DEFAULT,
                        List.of(
                                new ForeignList(
                                        "spf.cidr",
                                        () -> new ByteArrayInputStream(table.getBytes(UTF_8)))),
                        reports::add,
                        true);

        assertThatThrownBy(() -> imported.open().readAllBytes())
                .isInstanceOf(ListRefusedException.class)
                .hasMessage(
                        "no line lists a sender: spf.cidr: 4 lines: 0 taken, 3 without equivalent,"
                                + " 0 bad, 0 that list no sender, 1 comments or blank. Nothing was"
                                + " imported (4 lines were read)");
        assertThat(reports)
                .hasSize(4)
                .last()
                .asString()
                .startsWith("spf.cidr: most lines are networks: ")
                .contains("cidr: table");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "Contoso.com,Allow,Sender, => @contoso.com",
                "a@contoso.com,Allow,Sender,2027-01-31 => a@contoso.com until=2027-01-31",
                "a@contoso.com,Allow,Sender,2027-01-31T23:00:00-05:00 => a@contoso.com"
                        + " until=2027-02-01",
                "a@contoso.com,Allow,,2027-02-01T00:00:00Z => a@contoso.com until=2027-01-31",
                "a@contoso.com,Allow,,1/31/2027 12:00:00 AM => a@contoso.com until=2027-01-31",
                "a@contoso.com,Allow,,31/01/2027 => a@contoso.com until=2027-01-31",
                "a@contoso.com,Allow,,1.2.2027 10:00 => a@contoso.com until=2027-02-01",
                "a@contoso.com,Allow,,Never expire => a@contoso.com",
                "a@contoso.com,Allow,,2027/1/31 00:00 => a@contoso.com until=2027-01-31",
                "a@contoso.com,Allow,,\"Jan 31, 2027\" => a@contoso.com until=2027-01-31",
                "a@contoso.com,Allow,,\"Sunday, January 31, 2027 5:00 PM\" => a@contoso.com"
                        + " until=2027-01-31",
                "a@contoso.com,Allow,,31 sept. 2027 => - two ways",
                "a@contoso.com,Allow,,30 Sept. 2027 => a@contoso.com until=2027-09-30",
                "a@contoso.com,Allow,,31-JAN-2027 => a@contoso.com until=2027-01-31",
                "a@contoso.com,Allow,,31 Foo 2027 => - two ways",
                "a@contoso.com,Allow,,2027/31/01 => - two ways",
                "a@contoso.com,Allow,,01/02/2027 => - two ways",
                "a@contoso.com,Allow,,01/02/27 => - two ways",
                "a@contoso.com,Allow,,1/2/2027 => - two ways",
                "a@contoso.com,Allow,,45 days after last used date => - two ways",
                "a@contoso.com,Allow,,2027-02-30 => - two ways",
                "*.contoso.com,Allow,Sender, => @.contoso.com",
                "a@contoso.com,Block,Sender,2027-01-31 => !a@contoso.com until=2027-01-31",
                "*@contoso.com,Allow,Sender, => - no other patterns",
                "contoso.com/x,Allow,Url, => - not for senders",
                "192.0.2.1,Allow,Sender, => - network",
                "192.0.2.0/24,Allow,Sender, => - network",
            })
    void shouldReadTheTenantAllowBlockList(String line, String expected) throws IOException {
        shouldBecome(
                ForeignFormat.M365,
                "\"Value\",\"Action\",\"ListType\",\"ExpirationDate\"\n" + line + "\n",
                expected);
    }

    @Test
    void shouldReadPoliciesOfMicrosoft365() throws IOException {
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
        assertThat(imported.summary()).isEqualTo(new ImportSummary("list1", 2, 0, 0, 2, 2));
        byte[] utf16 = ("\ufeff" + csv).getBytes(UTF_16LE);
        assertThat(
                        Imports.of(
                                        ForeignFormat.M365,
                                        Imports.DEFAULT,
                                        List.of(
                                                new ForeignList(
                                                        "x",
                                                        () -> new ByteArrayInputStream(utf16))))
                                .lines())
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
    void shouldRefuseTheTypeOfAListOfMicrosoft365(String type) {
        assertThatThrownBy(
                        () ->
                                Imports.of(
                                        ForeignFormat.M365,
                                        "Name,AllowedSenders\nDefault,\"" + type + "\"\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("list1: '" + type + "' is the type of a list")
                .hasMessageContaining("$_.AllowedSenders -join ';'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "bob,here.example,Alice,Example.com => alice@example.com to=bob@here.example",
                "bob,here.example,*,example.com => @example.com to=bob@here.example",
                "*,here.example,alice,example.com => alice@example.com to=@here.example",
                "*,here.example,*,example.com => @example.com to=@here.example",
            })
    void shouldReadTheWhitelistOfJames(String row, String expected) throws IOException {
        shouldBecome(ForeignFormat.JAMES38, row + "\n", expected);
        shouldBecome(
                ForeignFormat.JAMES38,
                "LOCALUSER,LOCALHOST,REMOTEUSER,REMOTEHOST\n" + row + "\n",
                expected);
        String[] fields = row.split(",", -1);
        shouldBecome(
                ForeignFormat.JAMES38,
                "Sender\tRecipient\n%s@%s\t%s@%s\n"
                        .formatted(fields[2], fields[3], fields[0], fields[1]),
                expected);
    }

    @ParameterizedTest
    @EnumSource(names = {"M365", "JAMES38"})
    void shouldRefuseTablesOfOtherColumns(ForeignFormat format) {
        assertThatThrownBy(() -> Imports.of(format, "a,b,c\n1,2,3\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("list1: the first line names no columns we know (a, b, c)");
    }

    @Test
    void shouldAccountForEveryLineOfSeveralListsInOrder() throws IOException {
        Imports imported =
                Imports.of(
                        ForeignFormat.RSPAMD,
                        "a@example.com\n\n/re/\n# c\nscore@host extra\n",
                        "b@example.com\n/more/");

        assertThat(imported.lines())
                .containsExactly("a@example.com", "score@host", "b@example.com");
        assertThat(imported.reports())
                .containsExactly(
                        "list1:3: '/re/': " + RspamdImporter.OTHER_EXPRESSION,
                        "list2:2: '/more/': " + RspamdImporter.OTHER_EXPRESSION);
        assertThat(imported.summaries())
                .containsExactly(
                        new ImportSummary("list1", 2, 1, 0, 0, 2),
                        new ImportSummary("list2", 1, 1, 0, 0, 0));
        assertThat(imported.summary())
                .hasToString(
                        "list1: 5 lines: 2 taken, 1 without equivalent, 0 bad, 0 that list no"
                                + " sender, 2 comments or blank");
    }

    private static String good(int count) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append("ok").append(i).append("@example.net OK\n");
        }
        return lines.toString();
    }

    @Test
    void shouldGoOnAfterThreeBadLinesAndAfterOneInAHundred() throws IOException {
        Imports imported = Imports.of(ForeignFormat.POSTFIX, good(1) + "a@b@c OK\n".repeat(3));

        assertThat(imported.lines()).hasSize(1);
        assertThat(imported.reports()).hasSize(3).first().asString().startsWith("list1:2: ");
        assertThat(imported.summary().bad()).isEqualTo(3);
        assertThat(Imports.of(ForeignFormat.POSTFIX, good(396) + "a@b@c OK\n".repeat(4)).lines())
                .hasSize(396);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a@b@c OK\n", "nothing\n", "  indented\n", "\"a@example.com OK\n"})
    void shouldRefuseMoreBadLinesThanOneInAHundred(String bad) {
        String start = bad.startsWith(" ") ? bad : "";
        String end = start.isEmpty() ? bad : "";
        String list = start.repeat(4) + good(395) + end.repeat(4);
        assertThatThrownBy(() -> Imports.of(ForeignFormat.POSTFIX, list))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("4 of 399 lines are bad")
                .hasMessageEndingWith("(399 lines were read)")
                .hasMessageContaining("list1:");
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
                "RSPAMD | ~eve@example.com~",
                "RSPAMD | \"~eve@example.com~\"",
                "JAMES38 | sender,recipient\\n~eve@example.com~,~bob@here.example"
            })
    void shouldPassOverCharactersAroundThatDoNotShow(ForeignFormat format, String list)
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
    void shouldReadForeignFilesThatWereJoinedWithTheirByteOrderMarks() throws IOException {
        assertThat(
                        Imports.of(
                                        ForeignFormat.POSTFIX,
                                        "\ufeffa@b.example OK\n\ufeff# c\n\ufeffc@d.example\n OK\n")
                                .lines())
                .containsExactly("a@b.example", "c@d.example");
        assertThat(
                        Imports.of(ForeignFormat.RSPAMD, "\ufeffa@b.example\n\ufeff# c\n\ufeff@e\n")
                                .lines())
                .containsExactly("a@b.example");
    }

    @Test
    void shouldNotRefuseForLinesWithoutEquivalent() throws IOException {
        Imports imported = Imports.of(ForeignFormat.POSTFIX, good(1) + "user@ OK\n".repeat(50));

        assertThat(imported.lines()).hasSize(1);
        assertThat(imported.summary().reported()).isEqualTo(50);
    }

    @Test
    void shouldReadGzipAndSayWhichIsDamaged() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(good(1000).getBytes(UTF_8));
        }
        byte[] whole = packed.toByteArray();
        byte[] half = Arrays.copyOf(whole, whole.length / 2);
        ForeignList good = new ForeignList("good.gz", () -> new ByteArrayInputStream(whole));
        ForeignList bad = new ForeignList("bad.gz", () -> new ByteArrayInputStream(half));

        assertThat(Imports.of(ForeignFormat.POSTFIX, Imports.DEFAULT, List.of(good)).lines())
                .hasSize(1000);
        assertThatThrownBy(
                        () ->
                                Imports.of(
                                        ForeignFormat.POSTFIX, Imports.DEFAULT, List.of(good, bad)))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("bad.gz: damaged gzip data");
    }

    @Test
    void shouldNotTakeBytesThatAreNotUtf8() throws IOException {
        byte[] table = (good(200) + "jos\u00e9@example.com OK\n").getBytes(ISO_8859_1);
        Imports imported =
                Imports.of(
                        ForeignFormat.POSTFIX,
                        Imports.DEFAULT,
                        List.of(new ForeignList("l1", () -> new ByteArrayInputStream(table))));

        assertThat(imported.lines()).hasSize(200);
        assertThat(imported.reports()).singleElement().asString().contains("not UTF-8");
    }

    @Test
    void shouldRefuseBinaryData() {
        assertThatThrownBy(() -> Imports.of(ForeignFormat.POSTFIX, good(3) + "a\u0000b OK\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("list1: binary data")
                .hasMessageEndingWith("(3 lines were read)");
    }

    /** One line is as long as the heap. */
    @ParameterizedTest
    @EnumSource(names = {"POSTFIX", "SPAMASSASSIN", "RSPAMD"})
    void shouldNotKeepALongLineInMemory(ForeignFormat format) throws IOException {
        List<String> reports = new ArrayList<>();
        InputStream endless =
                new SequenceInputStream(
                        new ByteArrayInputStream("welcomelist_from ".getBytes(UTF_8)),
                        new Repeated((byte) 'x', Runtime.getRuntime().maxMemory()));
        Import imported =
                new Import(
                        format,
                        Imports.DEFAULT,
                        List.of(new ForeignList("x", () -> endless)),
                        reports::add,
                        true);
        try (InputStream in = imported.open()) {
            assertThatThrownBy(in::readAllBytes)
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageStartingWith("1 of 1 lines are bad");
        }
        assertThat(reports)
                .singleElement()
                .asString()
                .hasSizeLessThan(500)
                .contains("more than 65536 bytes");
    }

    /** The same byte over and over. */
    private static final class Repeated extends InputStream {
        private final byte value;
        private long left;

        Repeated(byte value, long count) {
            this.value = value;
            this.left = count;
        }

        @Override
        public int read() {
            return left-- > 0 ? value : -1;
        }

        @Override
        public int read(byte[] bytes, int from, int length) {
            int count = (int) Math.min(left, length);
            Arrays.fill(bytes, from, from + count, value);
            left -= count;
            return count == 0 ? -1 : count;
        }
    }
}
