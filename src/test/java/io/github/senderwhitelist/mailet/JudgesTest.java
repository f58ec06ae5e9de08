package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.github.senderwhitelist.mailet.server.SharedLists;

import jakarta.mail.MessagingException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The names by which explanations know mailets. */
class JudgesTest {
    private static final String USUAL = "SenderWhitelist=file://list.txt";
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.github");

    @TempDir Path folder;
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final SharedLists shared = TestLists.none();

    @BeforeEach
    void listen() throws IOException {
        Files.writeString(folder.resolve("list.txt"), "alice@example.com\n");
        log.start();
        LOGGER.addAppender(log);
    }

    @AfterEach
    void end() {
        LOGGER.detachAppender(log);
        assertThat(shared.judges().names()).isEmpty();
        assertThat(shared.isEmpty()).isTrue();
    }

    private SenderWhitelist mailet(SharedLists lists, String... parameters)
            throws MessagingException {
        return TestLists.mailet(folder, lists, "file://list.txt", parameters);
    }

    private SenderWhitelist mailet(String... parameters) throws MessagingException {
        return mailet(shared, parameters);
    }

    private List<String> warnings() {
        return log.list.stream()
                .filter(event -> event.getLevel().toString().equals("WARN"))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void shouldShareTheNameOfTheSameParameters() throws Exception {
        SenderWhitelist first = mailet("onWhitelisted", "transport");
        SenderWhitelist second = mailet("sender", "envelope");
        assertThat(shared.judges().names()).containsExactly(USUAL);

        first.destroy();
        assertThat(shared.judges().names()).containsExactly(USUAL);
        second.destroy();
        assertThat(shared.judges().names()).isEmpty();
        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldNumberTheNameOfOtherParameters() throws Exception {
        SenderWhitelist first = mailet();
        SenderWhitelist second = mailet("sender", "from");
        SenderWhitelist third = mailet("sender", "from", "name", "by From:");
        assertThat(shared.judges().names()).containsExactly(USUAL, USUAL + "-2", "by From:");
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("named '" + USUAL + "'", "this one '" + USUAL + "-2'");

        second.destroy();
        assertThat(shared.judges().names()).containsExactly(USUAL, "by From:");
        first.destroy();
        third.destroy();
    }

    @Test
    void shouldRefuseAnEmptyName() {
        assertThatThrownBy(() -> mailet("name", ""))
                .isInstanceOf(MessagingException.class)
                .hasMessageContaining("parameter name = ''");
    }
}
