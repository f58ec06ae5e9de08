package io.github.senderwhitelist.importer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListRefusedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/** Plain lists, maps of Amavis and MailScanner, preferences in SQL, and books without vCards. */
class SimpleFormatsTest {
    private static final String RULE = " auth=any to=sam@here.example origin=user";

    private static Imports book(ForeignFormat format, Charset charset, String text)
            throws IOException {
        var sam = ((WellFormed) AddressSyntax.parse("sam@here.example")).address();
        return Imports.of(
                format,
                new ImportSettings(true, Subaddressing.NONE, AuthRequirement.NONE, sam),
                List.of(
                        new ForeignList(
                                "book", () -> new ByteArrayInputStream(text.getBytes(charset)))));
    }

    private static Imports book(ForeignFormat format, String text) throws IOException {
        return book(format, UTF_8, text);
    }

    @ParameterizedTest
    @CsvSource({
        "LIST, Alice@Example.com, alice@example.com",
        "LIST, example.com  # a comment, @example.com",
        "LIST, @example.com, @example.com",
        "LIST, *@example.com, @example.com",
        "LIST, .example.com, @.example.com",
        "LIST, *.example.com, @.example.com",
        "LIST, \u200balice@example.com, alice@example.com",
        "AMAVIS, alice@example.com, alice@example.com",
        "AMAVIS, alice@example.com 1, alice@example.com",
        "AMAVIS, sub.example.com, @sub.example.com",
        "MAILSCANNER, From: alice@example.com yes, alice@example.com",
        "MAILSCANNER, from *@example.com YES, @example.com",
        "MAILSCANNER, From:\t*@*.example.com\tyes, @.example.com",
    })
    void importShouldTakeLineThatSaysAnEntry(ForeignFormat format, String line, String entry)
            throws IOException {
        Imports taken = Imports.of(format, line);
        assertThat(taken.lines()).containsExactly(entry);
        assertThat(taken.reports()).isEmpty();
    }

    @Test
    void amavisShouldTakeDotAsDomainAndItsSubdomains() throws IOException {
        assertThat(Imports.of(ForeignFormat.AMAVIS, ".example.com").lines())
                .containsExactly("@example.com", "@.example.com");
    }

    @ParameterizedTest
    @CsvSource({
        "LIST, !alice@example.com",
        "LIST, -alice@example.com",
        "LIST, 192.0.2.1",
        "LIST, 10.0.0.0/8",
        "LIST, /alice@example\\.com/",
        "LIST, https://example.com",
        "LIST, *example.com",
        "LIST, *",
        "AMAVIS, alice@example.com -3.0",
        "AMAVIS, alice@example.com 5",
        "AMAVIS, alice@example.com 0",
        "AMAVIS, .",
        "AMAVIS, alice@",
        "AMAVIS, @example.com",
        "AMAVIS, com",
        "MAILSCANNER, From: alice@example.com no",
        "MAILSCANNER, To: alice@example.com yes",
        "MAILSCANNER, FromOrTo: default yes",
        "MAILSCANNER, From: default yes",
        "MAILSCANNER, From: 192.0.2. yes",
        "MAILSCANNER, From: /example.com$/ yes",
        "MAILSCANNER, From: alice@* yes",
        "MAILSCANNER, From: alice@example.com and To: bob@here.example yes",
    })
    void importShouldReportAndNotListWhatNoEntrySays(ForeignFormat format, String line)
            throws IOException {
        Imports none = Imports.of(format, line);
        assertThat(none.lines()).isEmpty();
        assertThat(none.reports()).hasSize(1);
        assertThat(none.summary().reported()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alice@example.com REJECT",
                "alice@example.com, bob@example.com",
                "Alice <alice@example.com>",
                "postmaster",
                "alice@exa mple.com",
            })
    void plainListShouldRefuseFilesOfAnotherFormat(String line) {
        assertThatThrownBy(() -> Imports.of(ForeignFormat.LIST, line))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining("1 of 1 lines are bad");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "First Name,Primary Email,Secondary Email,Display Name\n",
                "First Name;E-mail Address;E-mail 2 Address;E-mail Display Name\n",
                "Name\tE-mail 1 - Value\tE-mail 2 - Value\tE-mail 1 - Label\n",
                "Vorname,E-Mail-Adresse,E-Mail 2: Adresse,E-Mail: Angezeigter Name\n",
                "Firstname,email,email:home,Nickname\n",
            })
    void csvBookShouldTakeColumnsOfMailAddresses(String heading) throws IOException {
        String between = heading.replaceAll("^[^,;\t]*(.).*\n", "$1");
        String row =
                String.join(between, "Ann", "Ann@Example.com", "ann@home.example", "x@y.example");
        for (Charset charset : List.of(UTF_8, UTF_16)) {
            assertThat(book(ForeignFormat.CSV, charset, heading + row + "\n").lines())
                    .containsExactly("ann@example.com" + RULE, "ann@home.example" + RULE);
        }
    }

    @Test
    void csvBookShouldTakeSeveralValuesAndReportWhatIsNoAddress() throws IOException {
        Imports book =
                book(
                        ForeignFormat.CSV,
                        "Email\na@x.example ::: b@x.example\n/o=Ex/cn=Bob\n*@x.example\n\"\"\n");
        assertThat(book.lines()).containsExactly("a@x.example" + RULE, "b@x.example" + RULE);
        assertThat(book.reports()).hasSize(2);
    }

    @Test
    void csvBookShouldBeRefusedWithoutHeading() {
        assertThatThrownBy(() -> book(ForeignFormat.CSV, "Ann,ann@email.example\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining("E-mail Address (Outlook)");
    }

    @Test
    void ldifShouldTakeMailFoldedAndInBase64() throws IOException {
        Imports book =
                book(
                        ForeignFormat.LDIF,
                        """
                        version: 1
                        # a comment: mail: no@x.example
                         that goes on
                        dn: cn=Ann,mail=ann@x.example
                        mail: ann@x.ex
                         ample
                        mozillaSecondEmail;lang-de:: Ym9iQHguZXhhbXBsZQ==
                        description: mail: no@x.example

                        dn: cn=Bob
                        MAIL:bob at x.example
                        mail:< file:///etc/passwd
                        mail:: %%
                        """);
        assertThat(book.lines()).containsExactly("ann@x.example" + RULE, "bob@x.example" + RULE);
        assertThat(book.reports()).hasSize(3);
    }

    @Test
    void ldifShouldRefuseChanges() {
        String change = "dn: cn=A\nchangetype: delete\nmail: a@x.example\n";
        assertThatThrownBy(() -> book(ForeignFormat.LDIF, change))
                .isInstanceOf(ListRefusedException.class);
    }

    @Test
    void sqlPreferencesShouldHoldForTheirUser() throws IOException {
        Imports table =
                Imports.of(
                        ForeignFormat.SPAMASSASSIN_SQL,
                        """
                        prefid,username,preference,value
                        1,@GLOBAL,whitelist_from,*@example.com
                        2,sam@here.example,welcomelist_from,alice@example.com
                        3,%here.example,whitelist_auth,bob@example.com
                        4,sam@here.example,blacklist_from,eve@example.com
                        5,sam,whitelist_from,carol@example.com
                        6,sam@here.example,required_score,5
                        7,ann@here.example,unwhitelist_from,alice@example.com
                        8,sam@here.example,unwhitelist_from,alice@example.com
                        9,sam@here.example,whitelist_from,dan@example.com
                        """);
        assertThat(table.lines())
                .containsExactly(
                        "@example.com",
                        "bob@example.com auth=any to=@here.example",
                        "!eve@example.com to=sam@here.example",
                        "dan@example.com to=sam@here.example");
        assertThat(table.reports())
                .satisfiesExactly(
                        report -> assertThat(report).contains("'sam'", "address is not known"),
                        report -> assertThat(report).contains("no earlier line lists"));
    }

    @ParameterizedTest
    @CsvSource({"10, false, 10", "12, false, 11", "12, true, 12"})
    void importShouldReportTenThingsAndHowManyMore(int bad, boolean all, int reports)
            throws IOException {
        List<String> said = new ArrayList<>();
        String text = "a@x.example\n" + "!b@x.example\n".repeat(bad);
        ForeignList list =
                new ForeignList("list", () -> new ByteArrayInputStream(text.getBytes(UTF_8)));
        Import imported =
                new Import(ForeignFormat.LIST, Imports.DEFAULT, List.of(list), said::add, all);
        try (InputStream in = imported.open()) {
            assertThat(in.readAllBytes()).asString(UTF_8).isEqualTo("a@x.example\n");
        }
        assertThat(said).hasSize(reports);
        assertThat(imported.summaries().getFirst().reported()).isEqualTo(bad);
        if (!all && bad > 10) {
            assertThat(said.getLast()).startsWith("and 2 more").contains("--verbose");
        }
    }
}
