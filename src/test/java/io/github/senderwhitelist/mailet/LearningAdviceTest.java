package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.mailet.server.SharedLists;

import jakarta.mail.MessagingException;

import org.apache.commons.configuration2.XMLConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.james.server.core.configuration.FileConfigurationProvider;
import org.apache.mailet.base.GenericMailet;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** A list as messages give it, for {@code conf/whitelists.xml}. */
    private static final Pattern DEFINITION = Pattern.compile("<whitelist name=.*</whitelist>");

    /** The element that messages give for the mailet or listener. */
    private static final Pattern LIST = Pattern.compile("<list>.*?</list>");

    private static final Mailboxes JAMES = new Mailboxes();

    @TempDir Path folder;

    private static final Map<String, Learning> CLASSES =
            Map.of(
                    "LearnCorrespondents",
                    (shared, files, elements) ->
                            init(new LearnCorrespondents(files, shared), elements),
                    "WhitelistByMail",
                    (shared, files, elements) -> init(new WhitelistByMail(files, shared), elements),
                    "LearnFromFolders",
                    (shared, files, elements) ->
                            new LearnFromFolders(
                                    files,
                                    shared,
                                    JAMES.messages(),
                                    JAMES.manager(),
                                    configuration(elements)));

    /** A class that changes a list. */
    private interface Learning {
        void start(SharedLists shared, TestFiles files, String elements) throws Exception;
    }

    private static void init(GenericMailet mailet, String elements) throws MessagingException {
        FakeMailetConfig.Builder config = FakeMailetConfig.builder();
        Pattern.compile("<(\\w+)>(.*?)</\\1>")
                .matcher(elements)
                .results()
                .forEach(each -> config.setProperty(each.group(1), each.group(2)));
        mailet.init(config.build());
        mailet.destroy();
    }

    private static XMLConfiguration configuration(String elements) throws ConfigurationException {
        String xml = "<configuration>" + elements + "</configuration>";
        return FileConfigurationProvider.getConfig(new ByteArrayInputStream(xml.getBytes(UTF_8)));
    }

    private void start(String learning, String lists, String elements) throws Exception {
        Objects.requireNonNull(CLASSES.get(learning))
                .start(
                        TestLists.defined("<whitelists>" + lists + "</whitelists>"),
                        new TestFiles(folder),
                        elements);
    }

    static Stream<Arguments> mistakes() {
        List<Arguments> mistakes = new ArrayList<>();
        for (String learning : CLASSES.keySet()) {
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
        String written = value.isEmpty() ? "" : "<list>" + value + "</list>";
        String problem = value.isEmpty() ? "is missing" : "= '" + value + "'";
        String message =
                String.valueOf(
                        assertThatThrownBy(() -> start(learning, lists, written))
                                .isInstanceOf(MessagingException.class)
                                .actual()
                                .getMessage());
        assertThat(message)
                .startsWith(learning + ": parameter list " + problem + "; allowed: ")
                .doesNotContain("\n");

        Matcher definition = DEFINITION.matcher(message);
        Matcher element = LIST.matcher(message);
        if (definition.find() && element.find()) {
            assertThat(lists).doesNotContain(LIVING);
            start(learning, lists + definition.group(), element.group());
        } else {
            String name = message.substring(message.lastIndexOf(' ') + 1);
            start(learning, lists, "<list>" + name + "</list>");
        }
    }
}
