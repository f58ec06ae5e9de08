package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.marked;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.tools.Peers;
import io.github.senderwhitelist.tools.TextResource;

import org.apache.mailet.Mail;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The rows of {@code from-headers.txt}, each the header of a mail that the mailet reads. */
class FromHeadersTest {
    private static final String UNCLEAR = "unclear";

    @TempDir Path folder;

    /** A row, by its columns. */
    record Row(String header, String sender, String others, String source, String why) {
        static Row of(String line) {
            String[] cells = line.split("\\|", -1);
            assertThat(cells).as(line).hasSize(5);
            List<String> c = Stream.of(cells).map(String::strip).toList();
            return new Row(c.get(0), c.get(1), c.get(2), c.get(3), c.get(4));
        }

        byte[] mail() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.writeBytes("Subject: x\r\nFrom: ".getBytes(UTF_8));
            byte[] written = header.getBytes(UTF_8);
            for (int i = 0; i < written.length; i++) {
                if (written[i] != '\\') {
                    bytes.write(written[i]);
                    continue;
                }
                switch (written[++i]) {
                    case 'r' -> bytes.write('\r');
                    case 'n' -> bytes.write('\n');
                    case 't' -> bytes.write('\t');
                    case 'e' -> bytes.write(0x1b);
                    case '\\' -> bytes.write('\\');
                    case 'x' -> {
                        bytes.write(Integer.parseInt(new String(written, i + 1, 2, UTF_8), 16));
                        i += 2;
                    }
                    default -> throw new IllegalArgumentException(header);
                }
            }
            bytes.writeBytes("\r\n\r\nHello\r\n".getBytes(UTF_8));
            return bytes.toByteArray();
        }
    }

    static List<Row> rows() {
        return TextResource.text(FromHeadersTest.class, "from-headers.txt")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .skip(1)
                .map(Row::of)
                .toList();
    }

    @Test
    void shouldSayOfEachRowWhereItIsFromAndWhyOthersDiffer() {
        assertThat(rows()).hasSizeGreaterThan(200);
        assertThat(rows().stream().map(Row::header)).doesNotHaveDuplicates();
        assertThat(rows()).noneMatch(row -> row.source.isEmpty());
        assertThat(rows()).noneMatch(row -> !row.others.isEmpty() && row.why.isEmpty());
    }

    /** The list has every address as the row has it, and the mail says which entry decided. */
    @Test
    void shouldReadTheSenderThatTheRowNames() throws Exception {
        List<Row> rows = rows();
        Files.write(
                folder.resolve("list.txt"),
                rows.stream().map(Row::sender).filter(s -> !s.equals(UNCLEAR)).distinct().toList());
        SenderWhitelist mailet =
                TestLists.mailet(folder, TestLists.none(), "file://list.txt", "sender", "from");
        List<String> wrong = new ArrayList<>();
        try {
            for (Row row : rows) {
                Mail mail =
                        TestServer.mail(
                                "x@elsewhere.example",
                                TestServer.message(row.mail()),
                                "sam@here.example");
                mailet.service(mail);
                String found =
                        marked(mail, "reason").equals("ambiguous-from")
                                ? UNCLEAR
                                : marked(mail, "entry");
                if (!found.equals(row.sender)) {
                    wrong.add(row.header + " -> " + found + ", not " + row.sender);
                }
            }
        } finally {
            mailet.destroy();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void shouldDifferFromPythonOnlyWhereItIsSaid() throws Exception {
        compare(
                "python",
                List.of(
                        Peers.program("python3", "python3").toString(),
                        "src/test/python/from-addresses.py"));
    }

    @Test
    void shouldDifferFromRspamdOnlyWhereItIsSaid() throws Exception {
        compare(
                "rspamd",
                List.of(
                        Peers.program("rspamadm", "rspamd").toString(),
                        "lua",
                        "src/test/lua/from-addresses.lua"));
    }

    private void compare(String peer, List<String> command) throws Exception {
        List<Row> rows = rows();
        List<String> paths = new ArrayList<>();
        for (Row row : rows) {
            Path mail = folder.resolve(paths.size() + ".eml");
            Files.write(mail, row.mail());
            paths.add(mail.toString());
        }
        List<String> answers = Peers.run(folder, paths, command);
        assertThat(answers.size()).isEqualTo(rows.size());
        List<String> unsaid = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            String found = found(answers.get(i));
            boolean isSaid = Stream.of(row.others.split(" ")).anyMatch(peer::equals);
            if (!isSaid && !found.equals(row.sender)) {
                unsaid.add(row.header + " -> " + found + ", not " + row.sender);
            }
        }
        assertThat(unsaid).isEmpty();
    }

    /** The only address that another program has found, in canonical form. */
    private static String found(String answer) {
        return AddressSyntax.parse(answer) instanceof Address address
                ? address.toString()
                : UNCLEAR;
    }
}
