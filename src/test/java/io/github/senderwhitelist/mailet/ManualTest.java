package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.ManualTable;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.Parameters.Read;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The manual's tables, compared with the code. */
class ManualTest {
    private static final String XML =
            "<whitelists><whitelist name='own'>"
                    + "<source>jdbc:sqlite:file://own.db</source></whitelist></whitelists>";

    @TempDir Path folder;
    private TestFiles files = new TestFiles(Path.of(""));
    private final SharedLists shared = TestLists.defined(XML);

    @BeforeEach
    void makeList() throws IOException {
        files = new TestFiles(folder);
        Files.writeString(folder.resolve("list.txt"), "alice@example.com\n");
    }

    private Parameters parameters(String name, String value) {
        return new Parameters("test", Map.of(name, value), files);
    }

    @Test
    void parametersOfChecksShouldBeThoseOfTheManual() throws Exception {
        List<ManualTable> manual = ManualTable.of("parameters.md");
        SenderWhitelist mailet = new SenderWhitelist(files, shared);
        SenderIsWhitelisted matcher = new SenderIsWhitelisted(files, shared);
        SenderMayBeWhitelisted before = new SenderMayBeWhitelisted(files, shared);
        Parameters ofMailet = parameters("whitelist", "file://list.txt");
        Parameters ofMatcher = parameters("whitelist", "file://list.txt");
        Parameters ofBefore = parameters("whitelist", "file://list.txt");

        mailet.open(ofMailet);
        matcher.open(ofMatcher);
        before.open(ofBefore);
        mailet.destroy();
        matcher.destroy();
        before.destroy();

        manual.getFirst().assertSays(ofMailet.read());
        Map<String, Read> same = new HashMap<>(ofMailet.read());
        same.keySet().removeAll(List.of("onWhitelisted", "onNotWhitelisted", "header"));
        Map<String, Read> onlyOfMatcher = new HashMap<>(ofMatcher.read());
        onlyOfMatcher.keySet().removeAll(same.keySet());
        manual.get(1).assertSays(onlyOfMatcher);
        assertThat(ofMatcher.read().keySet()).containsAll(same.keySet());
        Map<String, Read> more = new HashMap<>(ofBefore.read());
        more.keySet().removeAll(same.keySet());
        manual.getLast().assertSays(more);
    }

    @Test
    void parametersOfLearningShouldBeThoseOfTheManual() throws Exception {
        List<ManualTable> manual = ManualTable.of("learning.md");
        LearnCorrespondents learning = new LearnCorrespondents(files, shared);
        WhitelistByMail byMail = new WhitelistByMail(files, shared);
        Parameters ofLearning = parameters("list", "own");
        Parameters ofFolders = parameters("list", "own");
        Parameters ofByMail = parameters("list", "own");

        learning.open(ofLearning);
        Mailboxes james = new Mailboxes();
        LearningQueue queue = new LearningQueue(shared.metrics());
        new LearnFromFolders(shared, james.messages(), james.manager(), ofFolders, queue);
        byMail.open(ofByMail);
        learning.destroy();
        byMail.destroy();

        manual.get(0).assertSays(ofLearning.read());
        manual.get(1).assertSays(ofFolders.read());
        manual.get(2).assertSays(ofByMail.read());
    }

    @Test
    void reasonsShouldStandInTheManualInTheirOrder() throws IOException {
        String page = Docs.page("verdicts.md");
        int start = page.indexOf("| reason | meaning |");
        List<String> documented =
                Pattern.compile("`([a-z-]+)`(?=[^|]*\\|[^|]*\\|\n)")
                        .matcher(page.substring(start, 1 + page.indexOf("\n\n", start)))
                        .results()
                        .map(reason -> reason.group(1))
                        .toList();

        assertThat(documented)
                .containsExactlyElementsOf(
                        Arrays.stream(Reason.values()).map(Reason::label).toList());
    }
}
