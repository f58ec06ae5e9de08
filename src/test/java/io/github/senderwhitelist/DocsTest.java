package io.github.senderwhitelist;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Holds the form of the pages that people read: links, lines, and what they name of the code. */
class DocsTest {
    private static final int LONGEST_LINE = 120;
    private static final int LONGEST_FRONT_PAGE = 150;

    /** A row of a table may be longer only for what cannot be broken. */
    private static final Pattern UNBREAKABLE = Pattern.compile("https?://|`[^`]*\\s-[^`]{10,}`");

    private static final Pattern CODE_BLOCK =
            Pattern.compile("(?ms)^ *```.*?^ *```\\h*$|<!--.*?-->");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");
    private static final Pattern NO_ANCHOR = Pattern.compile("[^\\p{L}\\p{N}\\p{M}_ -]");

    private static final String TESTS_OF_SAFETY = "developers/learning-safety-tests.md";
    private static final Pattern ATTEMPT = Pattern.compile("(?ms)^- \\*\\*(.+?)\\*\\*");
    private static final Pattern TEST = Pattern.compile("`\\w+(?:Test|IT)\\.\\w+`");

    private static final Path SOURCES = Path.of("src/main/java/io/github/senderwhitelist");
    private static final Pattern CLASS_IN_ROOM = Pattern.compile("`((?:[a-z]+/)+[A-Z]\\w+)`");

    private static final Pattern MESSAGE = Pattern.compile("\\*\\*`([^`]+)`\\*\\*");
    private static final Pattern GAP = Pattern.compile("…|\\bFILE\\b|\\bN\\b");
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final int SHORTEST_PIECE = 8;

    static List<Path> pages() throws IOException {
        return Docs.pages();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldHaveLinksThatLeadSomewhere(Path page) throws IOException {
        List<String> broken = new ArrayList<>();
        for (String target : links(page)) {
            if (!target.matches("(?:https?|mailto):.*") && !leadsSomewhere(page, target)) {
                broken.add(target);
            }
        }

        assertThat(broken).isEmpty();
    }

    private static List<String> links(Path page) throws IOException {
        String prose = CODE.matcher(withoutCodeBlocks(page)).replaceAll("code");
        return LINK.matcher(prose).results().map(link -> link.group(1)).toList();
    }

    private static boolean leadsSomewhere(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String name = hash < 0 ? target : target.substring(0, hash);
        Path file = name.isEmpty() ? page : page.resolveSibling(name).normalize();
        return Files.exists(file)
                && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
    }

    /** The anchors that GitHub gives to headings. */
    private static List<String> anchors(Path page) throws IOException {
        List<String> anchors = new ArrayList<>();
        Map<String, Integer> before = new HashMap<>();
        HEADING.matcher(withoutCodeBlocks(page))
                .results()
                .map(heading -> anchor(heading.group(1)))
                .forEach(
                        anchor -> {
                            int same = before.merge(anchor, 1, Integer::sum) - 1;
                            anchors.add(same == 0 ? anchor : anchor + "-" + same);
                        });
        return anchors;
    }

    private static String anchor(String heading) {
        String lower = heading.strip().toLowerCase(Locale.ROOT);
        return NO_ANCHOR.matcher(lower).replaceAll("").replace(' ', '-');
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldHaveShortLines(Path page) throws IOException {
        assertThat(withoutCodeBlocks(page).lines().filter(DocsTest::isTooLong)).isEmpty();
    }

    private static boolean isTooLong(String line) {
        return line.length() > LONGEST_LINE
                && !(line.startsWith("|") && UNBREAKABLE.matcher(line).find());
    }

    /** The pages about adversaries name the same attempts, so that none is without its test. */
    @Test
    void shouldTryWhatAnAdversaryMayTry() throws IOException {
        assertThat(attempts("learning-safety.md"))
                .hasSizeGreaterThan(10)
                .isEqualTo(attempts(TESTS_OF_SAFETY));
    }

    private static List<String> attempts(String page) throws IOException {
        return ATTEMPT.matcher(Docs.page(page))
                .results()
                .map(attempt -> attempt.group(1).replaceAll("\\s+", " "))
                .toList();
    }

    /** Each test that the page about them names must be there, some as a scenario of a class. */
    @Test
    void shouldNameTestsThatAre() throws IOException {
        String scenarios = "";
        for (String each : List.of("correspondents", "folder-moves", "commands-by-mail")) {
            scenarios +=
                    Files.readString(
                            Path.of(
                                    "src/test/resources/io/github/senderwhitelist/mailet",
                                    each + ".txt"));
        }
        List<String> named =
                TEST.matcher(Docs.page(TESTS_OF_SAFETY)).results().map(MatchResult::group).toList();
        assertThat(named).hasSizeGreaterThan(10);
        List<String> missing = new ArrayList<>();
        for (String test : named) {
            String name = test.substring(1, test.indexOf('.'));
            String method = test.substring(test.indexOf('.') + 1, test.length() - 1);
            Path folder =
                    name.endsWith("IT")
                            ? Path.of("integration-tests/java/io/github/senderwhitelist/it")
                            : Path.of("src/test/java/io/github/senderwhitelist/mailet");
            try (Stream<Path> sources = Files.walk(folder)) {
                Path source =
                        sources.filter(each -> each.endsWith(name + ".java")).findFirst().get();
                if (!Files.readString(source).contains("void " + method + "(")
                        && !scenarios.contains("== " + method + "\n")) {
                    missing.add(test);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void shouldHaveAFrontPageThatIsReadAtOnce() throws IOException {
        assertThat(Files.readAllLines(Docs.FRONT).size()).isLessThanOrEqualTo(LONGEST_FRONT_PAGE);
    }

    @Test
    void shouldNameEveryPageInTheContents() throws IOException {
        Path contents = Docs.MANUAL.resolve("README.md");
        List<Path> named =
                links(contents).stream()
                        .map(target -> contents.resolveSibling(target).normalize())
                        .toList();

        assertThat(named)
                .containsAll(Docs.pages().stream().filter(page -> !page.equals(contents)).toList());
    }

    /** Pages name classes as room/Class, so that a class that moves takes its name along. */
    @Test
    void shouldNameClassesThatAreThere() throws IOException {
        List<String> named =
                CLASS_IN_ROOM.matcher(Docs.text()).results().map(name -> name.group(1)).toList();

        assertThat(named)
                .isNotEmpty()
                .allSatisfy(name -> assertThat(SOURCES.resolve(name + ".java")).exists());
    }

    static List<String> messages() throws IOException {
        return MESSAGE.matcher(Docs.page("troubleshooting.md"))
                .results()
                .map(message -> message.group(1))
                .toList();
    }

    @Test
    void shouldExplainMessagesThatTheCodeHas() throws IOException {
        String code = literals(SOURCES) + literals(Path.of("integration-tests/java"));

        assertThat(messages()).hasSizeGreaterThan(40);
        assertThat(messages()).allMatch(message -> pieces(message).findAny().isPresent());
        assertThat(messages().stream().flatMap(DocsTest::pieces))
                .filteredOn(piece -> !code.contains(piece))
                .isEmpty();
    }

    /** What the code itself says in a message, without names and numbers. */
    static Stream<String> pieces(String message) {
        return GAP.splitAsStream(message)
                .map(String::strip)
                .filter(piece -> piece.length() >= SHORTEST_PIECE);
    }

    /** The code with strings that go over several lines put together. */
    private static String literals(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> JOINED.matcher(Docs.read(file)).replaceAll(""))
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String withoutCodeBlocks(Path page) throws IOException {
        return CODE_BLOCK.matcher(Files.readString(page)).replaceAll(DocsTest::asManyLines);
    }

    private static String asManyLines(MatchResult block) {
        return "\n".repeat((int) block.group().chars().filter(c -> c == '\n').count());
    }
}
