package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Each mistake in the list that a class learns into, and what the message advises. An administrator
 * who does that to the letter has a server that starts.
 */
class LearningAdviceTest {
    private static final String OF_FILES =
            "<whitelist name=\"text\"><source>file://conf/x.txt</source></whitelist>"
                    + "<whitelist name=\"own\"><source>file://conf/y.txt</source></whitelist>";
    private static final String LIVING =
            "<whitelist name=\"people\"><source>jdbc:sqlite:file://var/p.db</source></whitelist>";

    /** A list as messages give it for {@code conf/whitelists.xml}, and its name elsewhere. */
    private static final Pattern ADVICE =
            Pattern.compile("(<whitelist name=.*</whitelist>).*<list>(.*?)</list>");

    @TempDir Path folder;

    private void start(String learning, String lists, String list) throws Exception {
        SharedLists shared = TestLists.defined("<whitelists>" + lists + "</whitelists>");
        TestFiles files = new TestFiles(folder);
        Map<String, String> values = list.isEmpty() ? Map.of() : Map.of("list", list);
        Parameters parameters = new Parameters(learning, values, files);
        switch (learning) {
            case "LearnCorrespondents" -> {
                LearnCorrespondents mailet = new LearnCorrespondents(files, shared);
                mailet.open(parameters);
                mailet.destroy();
            }
            case "WhitelistByMail" -> {
                WhitelistByMail mailet = new WhitelistByMail(files, shared);
                mailet.open(parameters);
                mailet.destroy();
            }
            default -> {
                Mailboxes james = new Mailboxes();
                new LearnFromFolders(
                        shared,
                        james.messages(),
                        james.manager(),
                        parameters,
                        new LearningQueue(shared.metrics()));
            }
        }
    }

    static Stream<Arguments> mistakes() {
        List<Arguments> mistakes = new ArrayList<>();
        for (String learning :
                List.of("LearnCorrespondents", "WhitelistByMail", "LearnFromFolders")) {
            for (String value : List.of("", "text", "own", "file://conf/x.txt", "ui")) {
                for (String lists : List.of("", OF_FILES, OF_FILES + LIVING)) {
                    mistakes.add(Arguments.of(learning, value, lists));
                }
            }
        }
        return mistakes.stream();
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void shouldStartWithWhatTheMessageAdvises(String learning, String value, String lists)
            throws Exception {
        String problem = value.isEmpty() ? "is missing" : "= '" + value + "'";
        String message =
                String.valueOf(
                        assertThatThrownBy(() -> start(learning, lists, value))
                                .actual()
                                .getMessage());
        assertThat(message)
                .startsWith(learning + ": parameter list " + problem + "; allowed: ")
                .doesNotContain("\n");

        Matcher advice = ADVICE.matcher(message);
        if (advice.find()) {
            assertThat(lists).doesNotContain(LIVING);
            start(learning, lists + advice.group(1), advice.group(2));
        } else {
            start(learning, lists, message.substring(message.lastIndexOf(' ') + 1));
        }
    }
}
