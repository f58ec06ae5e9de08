package io.github.senderwhitelist.importer;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.list.ListRefusedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** What lines of foreign lists become, as {@code imports.txt} says, and what all imports share. */
class ImportTest {
    private static final Pattern CHARACTER = Pattern.compile("<U\\+([0-9A-F]{4})>");

    private static final String GOOD = "ok@example.net OK\n";

    /** Lines of {@code imports.txt}, and what they become. */
    record Example(Import.Format format, String list, String expected) {}

    private static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        Import.Format format = Import.Format.LIST;
        String heading = "";
        try (InputStream in = ImportTest.class.getResourceAsStream("imports.txt")) {
            for (String line : new String(in.readAllBytes(), UTF_8).lines().skip(5).toList()) {
                if (line.matches("\\[[a-z0-9-]+\\].*")) {
                    String[] parts = line.substring(1).split("\\] ?", 2);
                    String name = parts[0].toUpperCase(Locale.ROOT).replace('-', '_');
                    format = Import.Format.valueOf(name);
                    heading = parts[1].isEmpty() ? "" : parts[1] + "\n";
                } else if (!line.isBlank()) {
                    String[] parts = line.split(" => ", 2);
                    String list = (heading + parts[0] + "\n").replace("<LF>", "\n");
                    examples.add(new Example(format, unescaped(list), parts[1]));
                }
            }
        }
        return examples;
    }

    private static String unescaped(String text) {
        return CHARACTER
                .matcher(text)
                .replaceAll(c -> Character.toString(Integer.parseInt(c.group(1), 16)));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void importShouldMakeOfLinesWhatTheFormatMeans(Example example) throws IOException {
        String words = example.expected.substring(2);
        if (example.expected.startsWith("x ") || example.expected.startsWith("! ")) {
            boolean isBad = example.expected.startsWith("x ");
            assertThatThrownBy(() -> Imports.of(example.format, example.list))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageContainingAll(isBad ? "1 of 1 lines are bad" : "list1:", words);
            return;
        }
        List<String> expected = List.of(example.expected.split("\\|", -1));
        String book =
                example.format.isAddressBook() ? " auth=any to=sam@here.example origin=user" : "";
        Imports imported = Imports.of(example.format, example.list);
        assertThat(imported.lines())
                .isEqualTo(
                        expected.stream()
                                .filter(each -> !each.startsWith("- "))
                                .map(each -> each + book)
                                .toList());
        List<String> reports =
                expected.stream()
                        .filter(each -> each.startsWith("- "))
                        .map(each -> each.substring(2))
                        .toList();
        assertThat(imported.reports())
                .zipSatisfy(
                        reports,
                        (report, each) -> assertThat(report).startsWith("list1:").contains(each));
    }

    @Test
    void postfixShouldKeepDomainsApartWithoutParentDomains() throws IOException {
        Import.Source table = Imports.list("t", "example.com OK\n.example.com REJECT\n");
        assertThat(Imports.of(Import.Format.POSTFIX, false, List.of(table)).lines())
                .containsExactly("@example.com", "!@.example.com");
    }

    @Test
    void spamAssassinShouldRevokeExactlyWhatWasListedInAnyList() throws IOException {
        Imports imported =
                Imports.of(
                        Import.Format.SPAMASSASSIN,
                        """
                        welcomelist_from *@a.example a@a.example
                        def_whitelist_auth *@b.example
                        welcomelist_from_dkim c@c.example c.example
                        welcomelist_from_dkim c@c.example
                        welcomelist_from_dkim d@c.example c.example
                        if (version < 3)
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

    /** A file of nothing but conditions takes no memory, and each costs the same. */
    @Test
    void spamAssassinShouldRefuseConditionsWithoutEnd() {
        assertThatThrownBy(
                        () ->
                                Imports.of(
                                        Import.Format.SPAMASSASSIN,
                                        "if (version > 1)\n".repeat(1_000_000)))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("list1:1001: more than 1000 conditions");
    }

    private static Imports rspamd(String name, String map) throws IOException {
        return Imports.of(Import.Format.RSPAMD, true, List.of(Imports.list(name, map)));
    }

    /** By their names, or by their values. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "/etc/rspamd/spf_whitelist.inc => example.com => ! only when they are confirmed",
                "dmarc_whitelist => example.com => ! only when they are confirmed",
                "/etc/maps.d/spf_dkim_whitelist.inc.gz => example.com => ! only when they are"
                        + " confirmed",
                "mine.map => example.com both:1.0 => ! mine.map:1: this is of Rspamd's whitelist",
                "mine.map => example.com bl:1.0 => ! mine.map:1: this is of Rspamd's whitelist",
                "mine.map => '\"example.com\" wl:2' => ! mine.map:1: this is of Rspamd's whitelist",
                "/usr/share/rspamd/2tld.inc => co.uk => ! lists no senders",
                "surbl-whitelist.inc.local => example.com => ! lists no senders",
                "maillist.inc.gz => example.com => ! lists no senders",
                "my_redirectors.inc => example.com => @example.com",
                "whitelist.mid.map => example.com => @example.com",
                "/redirectors/from.map => example.com => @example.com",
                "- => example.com => @example.com",
            })
    void rspamdShouldTellMapsByTheirNames(String name, String map, String expected)
            throws IOException {
        if (expected.startsWith("!")) {
            assertThatThrownBy(() -> rspamd(name, map + "\n"))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageStartingWith(name + ":")
                    .hasMessageContainingAll(expected.substring(2), "Nothing was imported");
        } else {
            assertThat(rspamd(name, map + "\n").lines()).containsExactly(expected);
        }
    }

    @Test
    void importShouldReadSeveralListsInOrder() throws IOException {
        Imports imported =
                Imports.of(
                        Import.Format.RSPAMD,
                        "a@example.com\n\n/re/\n# c\nscore@host extra\n",
                        "b@example.com\n/more/");
        assertThat(imported.lines())
                .containsExactly("a@example.com", "score@host", "b@example.com");
        assertThat(imported.reports())
                .zipSatisfy(
                        List.of("list1:3: '/re/': an expr", "list2:2: '/more/': an expr"),
                        (report, start) -> assertThat(report).startsWith(start));
    }

    /** Lines without equivalent count, but are not bad. */
    @ParameterizedTest
    @CsvSource({"396, true", "395, false"})
    void importShouldBeRefusedWhenFourOfMoreThan400LinesAreBad(int good, boolean accepted)
            throws IOException {
        String list =
                GOOD.repeat(good) + "user@ OK\n".repeat(accepted ? 50 : 0) + "a@b@c\n".repeat(4);
        if (accepted) {
            assertThat(Imports.of(Import.Format.POSTFIX, list).lines()).hasSize(good);
        } else {
            assertThatThrownBy(() -> Imports.of(Import.Format.POSTFIX, list))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageStartingWith("4 of 399 lines are bad")
                    .hasMessageContaining("list1:396: ");
        }
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
                "M365 | Value,Action\\n~eve@example.com~,~Block",
                "AMAVIS | eve@example.com~",
                "MAILSCANNER | ~From: ~eve@example.com~ yes~",
                "RSPAMD | ~eve@example.com~"
            })
    void importShouldPassOverCharactersAroundThatDoNotShow(Import.Format format, String list)
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

    @ParameterizedTest
    @CsvSource({
        "M365, 'Value,Action\n\u00fc@x.example,Allow\n'",
        "VCARD, 'BEGIN:VCARD\nEMAIL:\u00fc@x.example\nEND:VCARD\n'",
        "CSV, 'Email\n\u00fc@x.example\n'",
        "LIST, '\u00fc@x.example\r\n'"
    })
    void importShouldReadUtf16WithItsMarkAndNoOtherEncoding(Import.Format format, String list)
            throws IOException {
        for (Charset charset : List.of(UTF_8, UTF_16LE, UTF_16BE)) {
            Imports imported = of(format, ("\ufeff" + list).getBytes(charset));
            assertThat(imported.lines()).singleElement().asString().startsWith("\u00fc@x.example");
            assertThat(imported.reports()).isEmpty();
        }
        String more = list.replaceAll("(.*)\u00fc(.*)", "$1\u00fc$2\n$1u$2");
        Imports latin1 = of(format, more.getBytes(ISO_8859_1));
        assertThat(latin1.lines()).singleElement().asString().startsWith("u@x.example");
        assertThat(latin1.reports()).anyMatch(report -> report.contains("not UTF-8"));
        assertThatThrownBy(() -> of(format, list.getBytes(UTF_16LE)))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining("list1:1: binary data (a zero byte)");
    }

    private static Imports of(Import.Format format, byte[] list) throws IOException {
        return Imports.of(format, true, List.of(Imports.list("list1", list)));
    }

    @Test
    void importShouldReadGzipAndSayWhichIsDamaged() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(GOOD.repeat(1000).getBytes(UTF_8));
        }
        byte[] whole = packed.toByteArray();
        Import.Source good = Imports.list("good.gz", whole);
        assertThat(of(Import.Format.POSTFIX, whole).lines()).hasSize(1000);
        for (int length : new int[] {5, whole.length / 2, whole.length - 1}) {
            Import.Source bad = Imports.list("bad.gz", Arrays.copyOf(whole, length));
            List<Import.Source> both = List.of(good, bad);
            assertThatThrownBy(() -> Imports.of(Import.Format.POSTFIX, true, both))
                    .isInstanceOf(ListRefusedException.class)
                    .hasMessageStartingWith("bad.gz: damaged gzip data (cut off)");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POSTFIX, x, x, more than 65536 characters",
        "POSTFIX, 'x OK\n', ' x\n', more than 65536 characters",
        "CSV, 'email\n\"', 'x\n', a quote that is not closed",
        "M365, 'value,action\n', x, more than 65536 characters",
        "LDIF, 'mail: x@y.example\n ', x, no line lists a sender",
        "LDIF, 'mail: x@y.example\n ', 'x\n ', no line lists a sender",
        "VCARD, 'BEGIN:VCARD\nEMAIL:', x, no line lists a sender",
        "VCARD, 'BEGIN:VCARD\nEMAIL;QUOTED-PRINTABLE:', 'x=\n', no line lists a sender"
    })
    void importShouldNotKeepALongLineInMemory(
            Import.Format format, String start, String part, String message) {
        String list = start + part.repeat((1 << 20) / part.length());
        List<String> reports = new ArrayList<>();
        Import imported =
                new Import(
                        format,
                        true,
                        address("sam@here.example"),
                        List.of(Imports.list("list1", list)),
                        reports::add);
        assertThatThrownBy(imported::readAllBytes)
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining(message);
        assertThat(reports).allMatch(report -> report.matches("(?s).*\\(6\\d{4} characters\\).*"));
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
        "M365, 'value,'",
    })
    void importShouldStandLongLinesOfAnyKind(Import.Format format, String part) throws IOException {
        String line = part.repeat(65_000 / part.length());
        try {
            assertThat(Imports.of(format, line).lines()).hasSizeLessThan(2);
        } catch (ListRefusedException e) {
            assertThat(e).hasMessageMatching("(?s)1 of 1 lines are bad.*|list1:1: .*");
        }
    }
}
