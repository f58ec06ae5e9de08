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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Holds the pages that people read to their links, and to what they name of the code. */
class DocsTest {
    private static final Pattern CODE_BLOCK =
            Pattern.compile("(?ms)^ *```.*?^ *```\\h*$|<!--.*?-->");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");
    private static final Pattern NO_ANCHOR = Pattern.compile("[^\\p{L}\\p{N}\\p{M}_ -]");

    private static final String TESTS_OF_SAFETY = "developers/learning-safety-tests.md";
    private static final Pattern ATTEMPT = Pattern.compile("(?ms)^- \\*\\*(.+?)\\*\\*");
    private static final Pattern METHOD = Pattern.compile("void \\w+(?=\\()|(?m)^== \\w+$");
    private static final Pattern TEST = Pattern.compile("`\\w+(?:Test|IT)\\.\\w+`");

    private static final Path SOURCES = Path.of("src/main/java/io/github/senderwhitelist");
    private static final Pattern CLASS_IN_ROOM = Pattern.compile("`((?:[a-z]+/)+[A-Z]\\w+)`");

    static List<Path> pages() throws IOException {
        return Docs.pages();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldHaveLinksThatLeadSomewhere(Path page) {
        assertThat(links(page))
                .allMatch(
                        target ->
                                target.matches("(?:https?|mailto):.*")
                                        || leadsSomewhere(page, target));
    }

    private static List<String> links(Path page) {
        String prose = CODE.matcher(withoutCodeBlocks(page)).replaceAll("code");
        return LINK.matcher(prose).results().map(link -> link.group(1)).toList();
    }

    private static boolean leadsSomewhere(Path page, String target) {
        int hash = target.indexOf('#');
        String name = hash < 0 ? target : target.substring(0, hash);
        Path file = name.isEmpty() ? page : page.resolveSibling(name).normalize();
        return Files.exists(file)
                && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
    }

    /** The anchors that GitHub gives to headings; the second of a name ends in -1, and so on. */
    private static List<String> anchors(Path page) {
        List<String> anchors = new ArrayList<>();
        for (MatchResult heading : HEADING.matcher(withoutCodeBlocks(page)).results().toList()) {
            String anchor = anchor(heading.group(1));
            int same = 0;
            while (anchors.contains(anchor + (same == 0 ? "" : "-" + same))) {
                same++;
            }
            anchors.add(anchor + (same == 0 ? "" : "-" + same));
        }
        return anchors;
    }

    private static String anchor(String heading) {
        String lower = heading.strip().toLowerCase(Locale.ROOT);
        return NO_ANCHOR.matcher(lower).replaceAll("").replace(' ', '-');
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
        Set<String> there = new HashSet<>();
        for (String folder : List.of("src/test", "integration-tests")) {
            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                for (Path file : files.filter(each -> isTest(each.toString())).toList()) {
                    String name = file.getFileName().toString().replaceFirst("\\..*", "");
                    METHOD.matcher(Docs.read(file))
                            .results()
                            .map(MatchResult::group)
                            .map(each -> each.replaceFirst("void |== ", ""))
                            .forEach(each -> there.add("`" + name + "." + each + "`"));
                }
            }
        }
        Map<String, String> scenarios =
                Map.of(
                        "LearnCorrespondentsTest", "correspondents",
                        "LearnFromFoldersTest", "folder-moves",
                        "WhitelistByMailTest", "commands-by-mail");

        assertThat(TEST.matcher(Docs.page(TESTS_OF_SAFETY)).results().map(MatchResult::group))
                .hasSizeGreaterThan(10)
                .allSatisfy(
                        test -> {
                            String name = test.substring(1, test.indexOf('.'));
                            String scenario =
                                    test.replace(name, scenarios.getOrDefault(name, name));
                            assertThat(there).containsAnyOf(test, scenario);
                        });
    }

    private static boolean isTest(String file) {
        return file.endsWith(".java") || file.endsWith(".txt");
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

    private static String withoutCodeBlocks(Path page) {
        return CODE_BLOCK.matcher(Docs.read(page)).replaceAll("");
    }
}
