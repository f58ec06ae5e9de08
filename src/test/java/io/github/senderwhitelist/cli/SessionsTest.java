package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.tools.TextResource;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Sessions as a person types them, with all that the commands print. Each file of sessions says in
 * its first lines how to read it.
 */
class SessionsTest extends CommandTest {
    private static final Pattern UNICODE = Pattern.compile("\\\\u([0-9a-f]{4})");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    /** What is another one each time, and what stands for it. */
    private static final String[][] VARYING = {
        {"\\d+\\.\\d s$", "TIME"},
        {"\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME"},
        {"[0-9a-f]{8}-[0-9a-f-]{27}", "EPOCH"},
        {"from [0-9a-f]{12}", "from DIGEST"},
        {Pattern.quote(DatabaseList.WHO), "WHO"},
    };

    /** A session: its title, and its lines. */
    record Session(String title, List<String> lines) {
        @Override
        public String toString() {
            return title;
        }
    }

    static Stream<Session> sessions() {
        return Stream.of("check", "files", "living", "foreign", "wrong")
                .flatMap(
                        name ->
                                Stream.of(
                                                TextResource.text(
                                                                SessionsTest.class,
                                                                name + ".sessions.txt")
                                                        .split("(?m)^== "))
                                        .skip(1)
                                        .map(text -> text.lines().toList())
                                        .map(all -> new Session(all.get(0), all)));
    }

    @ParameterizedTest
    @MethodSource("sessions")
    void sessionShouldPrint(Session session) throws IOException {
        List<String> printed = new ArrayList<>();
        Path file = folder;
        boolean isCommand = true;
        for (String line : session.lines) {
            if (line.startsWith("$ ")) {
                printed.add(line);
                run(line.substring(2), printed);
                isCommand = true;
            } else if (line.startsWith("> ")) {
                printed.add(line);
                file = Path.of(inFolder(line.substring(2)));
                Files.createDirectories(file.getParent());
                Files.write(file, new byte[0]);
                isCommand = false;
            } else if (!isCommand && line.startsWith("  ")) {
                printed.add(line);
                boolean isLatin = file.toString().endsWith(".latin1");
                Files.writeString(
                        file,
                        unescaped(line.substring(2)) + "\n",
                        isLatin ? ISO_8859_1 : UTF_8,
                        StandardOpenOption.APPEND);
            } else if (line.isEmpty() || line.equals(session.title)) {
                printed.add(line);
            }
        }
        assertThat(String.join("\n", printed).strip())
                .isEqualTo(String.join("\n", session.lines).strip());
    }

    private static String unescaped(String text) {
        return UNICODE.matcher(text)
                .replaceAll(code -> Character.toString(Integer.parseInt(code.group(1), 16)))
                .translateEscapes();
    }

    private String inFolder(String text) {
        return text.replace("F/", folder + "/");
    }

    private void run(String line, List<String> printed) throws IOException {
        out.reset();
        err.reset();
        String[] parts = line.split(" < ", 2);
        if (parts.length == 2) {
            byte[] in = Files.readAllBytes(Path.of(inFolder(parts[1])));
            System.setIn(new ByteArrayInputStream(in));
        }
        String[] words =
                WORD.matcher(parts[0])
                        .results()
                        .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                        .map(word -> inFolder(unescaped(word)))
                        .toArray(String[]::new);
        int exit = run(words);
        out().lines().map(each -> "  " + shown(each)).forEach(printed::add);
        err().lines().map(each -> "! " + shown(each)).forEach(printed::add);
        if (exit != 0) {
            printed.add("? " + exit);
        }
    }

    private String shown(String line) {
        String shown = line.replace(folder.toString(), "F").replace("\t", " \\t ").stripTrailing();
        for (String[] each : VARYING) {
            shown = shown.replaceAll(each[0], each[1]);
        }
        return shown;
    }
}
