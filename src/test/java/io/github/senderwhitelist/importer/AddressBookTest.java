package io.github.senderwhitelist.importer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import ezvcard.VCard;
import ezvcard.VCardVersion;
import ezvcard.io.text.VCardReader;
import ezvcard.io.text.VCardWriter;
import ezvcard.parameter.Encoding;
import ezvcard.parameter.ImageType;
import ezvcard.property.Email;
import ezvcard.property.Note;
import ezvcard.property.Photo;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListRefusedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Address books as programs write them. What vCards hold is compared with what ez-vcard reads. */
class AddressBookTest {
    private static final List<VCardVersion> VERSIONS =
            List.of(VCardVersion.V2_1, VCardVersion.V3_0, VCardVersion.V4_0);

    private static final String RULE = " auth=any to=sam@here.example origin=user";

    private static Imports book(byte[] bytes) throws IOException {
        List<Import.Source> lists = List.of(Imports.list("book", bytes));
        return Imports.of(ForeignFormat.VCARD, Imports.DEFAULT, lists);
    }

    private static Imports book(String text) throws IOException {
        return book(text.replace("\n", "\r\n").getBytes(UTF_8));
    }

    @Test
    void vcardShouldReadCardsOfAllVersions() throws IOException {
        Imports imported =
                book(
                        """
                        BEGIN:VCARD
                        VERSION:2.1
                        N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;=
                        J=FCrgen
                        FN:Jürgen
                        EMAIL;PREF;INTERNET:juergen@x.example
                        EMAIL;INTERNET;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:j=C3=BCrgen=40x=
                        .example
                        PHOTO;ENCODING=BASE64;TYPE=JPEG:
                         /9j/4AAQSkZJRgABAQAAAQABAAD/
                         EMAIL:mallory@evil.example

                        END:VCARD
                        begin:vcard
                        version:3.0
                        fn:Bob
                        item1.email;type=INTERNET;type=HOME:Bob@Stranger.exa
                         mple
                        item1.X-ABLabel:_$!<Other>!$_
                        NOTE:EMAIL:mallory@evil.example\\nEMAIL:mallory@evil.example
                        end:vcard

                        BEGIN:VCARD
                        VERSION:4.0
                        KIND:individual
                        FN:Carol
                        EMAIL;PREF=1;TYPE="work,home":carol\\+a\\,b@x.example
                        EMAIL;VALUE=uri:mailto:dave@x.example
                        EMAIL;ALTID=1:
                        END:VCARD
                        """);
        assertThat(imported.reports())
                .containsExactly(
                        "book:27: 'carol+a,b@x.example': the part before '@' of"
                                + " 'carol+a,b@x.example' has a space, control character, bracket,"
                                + " comma or the like, which only a quoted one may have");
        assertThat(imported.lines())
                .containsExactly(
                        "juergen@x.example" + RULE,
                        "jürgen@x.example" + RULE,
                        "bob@stranger.example" + RULE,
                        "dave@x.example" + RULE);
        assertThat(imported.lines())
                .allMatch(line -> ListLine.parse(line) instanceof ListLine.Good);
        assertThat(imported.summary().taken()).isEqualTo(4);
        assertThat(imported.summary().reported()).isEqualTo(1);
        assertThat(imported.summary().bad()).isZero();
        assertThat(imported.summary().lines()).isEqualTo(30);
        assertThat(imported.subaddressing()).isEqualTo(Subaddressing.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "EMAIL:bob => no '@' in 'bob'; allowed: local@domain",
                "EMAIL;TYPE=X400:c=DE;a= ;p=X => no '@' in 'c=DE;a= ;p=X'",
                "EMAIL:Bob <bob@x.example> => 'Bob <bob@x.example>'",
                "EMAIL:bob@x..example => 'bob@x..example'",
                "EMAIL:@x.example => no address",
                "EMAIL:b\ufffdb@x.example => not UTF-8",
                "EMAIL:*@x.example => patterns are not known",
                "EMAIL:b\u200bb@x.example => has U+200B, a character that does not show",
            })
    void vcardShouldReportWhatIsNoAddress(String line, String report) throws IOException {
        Imports imported =
                book("BEGIN:VCARD\nFN:Bob Smith\n" + line + "\nEMAIL:a@x.example\nEND:VCARD\n");
        assertThat(imported.lines()).containsExactly("a@x.example" + RULE);
        assertThat(imported.reports()).singleElement().asString().contains(report);
        assertThat(imported.reports().getFirst()).startsWith("book:3: '");
        assertThat(imported.summary()).isEqualTo(new Import.Counts("book", 5, 1, 1, 0));
    }

    @Test
    void vcardShouldReadCardsInCardsAndNothingElseThatHasAddresses() throws IOException {
        assertThat(
                        book("""
                        BEGIN:VCALENDAR
                        EMAIL:mallory@evil.example
                        BEGIN:VEVENT
                        EMAIL:mallory@evil.example
                        END:VEVENT
                        END:VCALENDAR
                        BEGIN:VCARD
                        VERSION:2.1
                        AGENT:
                        BEGIN:VCARD
                        VERSION:2.1
                        EMAIL:agent@x.example
                        END:VCARD
                        EMAIL:a@x.example
                        END:VCARD
                        """)
                                .lines())
                .containsExactly("agent@x.example" + RULE, "a@x.example" + RULE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN:VCARD\nEMAIL:a@x.example\nEND:VCARD",
                "\ufeff\n\n\nBEGIN:VCARD" + "\nEMAIL:a@x.example\nEND:VCARD\n\n",
                "BEGIN:VCARD\nEMAIL:\u200ba@x.example\u00a0\nEND:VCARD\n",
                "BEGIN:VCARD\nEND:VCARD\n\ufeffBEGIN:VCARD\r\nEMAIL:a@x.example\r\nEND:VCARD\n"
            })
    void vcardShouldMindNeitherMarksNorBlankLines(String text) throws IOException {
        Imports imported = book(text);
        assertThat(imported.lines()).containsExactly("a@x.example" + RULE);
        assertThat(imported.reports()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dn: x\nEMAIL:alice@example.com\n", "EMAIL:alice@example.com\n"})
    void vcardShouldRefuseOtherFiles(String text) {
        assertThatThrownBy(() -> book(text))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining(
                        "are bad; with more than 3 and more than 1 %, or all, an import is refused")
                .hasMessageContaining("not in a card, which begins with BEGIN:VCARD");
    }

    @Test
    void vcardShouldTakeTheMembersOfGroups() throws IOException {
        Imports imported =
                book(
                        """
                        BEGIN:VCARD
                        VERSION:4.0
                        KIND:group
                        FN:Friends
                        MEMBER:mailto:alice@x.example
                        MEMBER;PREF=1:MAILTO:b%C3%B6b%2Btag@x.example?subject=Hi%20there
                        MEMBER:mailto:c+d@x.example,e@x.example
                        MEMBER:urn:uuid:03a0e51f-d1aa-4385-8a53-e29025acd8af
                        MEMBER:mailto:%zz@x.example
                        MEMBER:mailto:
                        EMAIL:mailto:%66%67@x.example
                        END:VCARD
                        """);
        assertThat(imported.lines())
                .containsExactly(
                        "alice@x.example" + RULE,
                        "böb+tag@x.example" + RULE,
                        "c+d@x.example" + RULE,
                        "e@x.example" + RULE,
                        "fg@x.example" + RULE);
        assertThat(imported.reports())
                .containsExactly("book:9: '%zz@x.example': not percent-encoded UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16BE", "UTF-16LE"})
    void vcardShouldReadUtf16WithItsMark(String charset) throws IOException {
        Imports imported =
                book(
                        "\ufeffBEGIN:VCARD\r\nFN:Jürgen\r\nEMAIL:jürgen@x.example\r\nEND:VCARD\r\n"
                                .getBytes(Charset.forName(charset)));
        assertThat(imported.lines()).containsExactly("jürgen@x.example" + RULE);
        assertThat(imported.reports()).isEmpty();
    }

    @Test
    void vcardShouldReportBytesThatAreNotUtf8() throws IOException {
        Imports imported =
                book(
                        "BEGIN:VCARD\nFN:Jürgen\nEMAIL:a@x.example\nEMAIL:ü@x.example\nEND:VCARD\n"
                                .getBytes(ISO_8859_1));
        assertThat(imported.lines()).containsExactly("a@x.example" + RULE);
        assertThat(imported.reports()).singleElement().asString().contains("not UTF-8");
    }

    @Test
    void vcardShouldReadQuotedPrintableWithoutCharacterSetAsUtf8() throws IOException {
        Imports imported =
                book(
                        """
                        BEGIN:VCARD
                        VERSION:2.1
                        EMAIL;QUOTED-PRINTABLE:j=C3=B6rg@x.example
                        END:VCARD
                        """);
        assertThat(imported.lines()).containsExactly("jörg@x.example" + RULE);
    }

    @Test
    void vcardShouldPassOverLongPictures() throws IOException {
        String card =
                "BEGIN:VCARD\nNOTE:%s\nEMAIL:a@x.example\nEND:VCARD\n"
                        .formatted("x".repeat(1 << 22));
        assertThat(book(card.repeat(3)).lines()).hasSize(3).containsOnly("a@x.example" + RULE);
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
            assertThat(
                            Imports.of(ForeignFormat.CSV, (heading + row + "\n").getBytes(charset))
                                    .lines())
                    .containsExactly("ann@example.com" + RULE, "ann@home.example" + RULE);
        }
    }

    @Test
    void csvBookShouldTakeSeveralValuesAndReportWhatIsNoAddress() throws IOException {
        Imports book =
                Imports.of(
                        ForeignFormat.CSV,
                        "Email\na@x.example ::: b@x.example\n/o=Ex/cn=Bob\n*@x.example\n\"\"\n");
        assertThat(book.lines()).containsExactly("a@x.example" + RULE, "b@x.example" + RULE);
        assertThat(book.reports()).hasSize(2);
    }

    @Test
    void csvBookShouldBeRefusedWithoutHeading() {
        assertThatThrownBy(() -> Imports.of(ForeignFormat.CSV, "Ann,ann@email.example\n"))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining("E-mail Address (Outlook)");
    }

    @Test
    void ldifShouldTakeMailFoldedAndInBase64() throws IOException {
        Imports book =
                Imports.of(
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
        assertThatThrownBy(() -> Imports.of(ForeignFormat.LDIF, change))
                .isInstanceOf(ListRefusedException.class);
    }

    /** Writes random cards with ez-vcard, and expects what it reads in them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void vcardShouldReadWhatEzVCardReads(long seed) throws IOException {
        Random random = new Random(seed);
        VCardVersion version = VERSIONS.get(random.nextInt(VERSIONS.size()));
        StringWriter book = new StringWriter();
        VCardWriter writer = new VCardWriter(book, version);
        for (int i = 0; i < 50; i++) {
            writer.write(card(random, version));
        }
        List<String> expected = new ArrayList<>();
        for (VCard card : new VCardReader(new StringReader(book.toString())).readAll()) {
            card.getEmails().forEach(email -> expected.add(key(email.getValue()) + RULE));
        }
        Imports imported = book(book.toString().getBytes(UTF_8));
        assertThat(expected).hasSizeGreaterThan(50);
        assertThat(imported.lines()).isEqualTo(expected);
        assertThat(imported.reports()).isEmpty();
        assertThat(imported.summary().lines()).isEqualTo(book.toString().lines().count());
    }

    private static String key(String address) {
        return ((WellFormed) AddressSyntax.parse(address)).address().toString();
    }

    private static VCard card(Random random, VCardVersion version) {
        VCard card = new VCard(version);
        card.setFormattedName(word(random));
        byte[] picture = new byte[random.nextInt(500)];
        random.nextBytes(picture);
        card.addPhoto(new Photo(picture, ImageType.JPEG));
        card.addNote(new Note("EMAIL:mallory@evil.example\n" + word(random).repeat(9)));
        for (int i = random.nextInt(4); i >= 0; i--) {
            Email email = new Email(word(random) + "@" + word(random) + ".example");
            email.setGroup(random.nextBoolean() ? "item" + i : null);
            if (version == VCardVersion.V2_1 && random.nextBoolean()) {
                email.getParameters().setEncoding(Encoding.QUOTED_PRINTABLE);
                email.getParameters().setCharset("UTF-8");
            }
            card.addEmail(email);
        }
        return card;
    }

    /** Returns letters, some beyond ASCII, long enough that some lines are folded. */
    private static String word(Random random) {
        StringBuilder word = new StringBuilder();
        for (int i = 1 + random.nextInt(30); i > 0; i--) {
            word.append("abcdefghijklmnopqrstuvwxyzABCäßé字".charAt(random.nextInt(33)));
        }
        return word.toString();
    }
}
