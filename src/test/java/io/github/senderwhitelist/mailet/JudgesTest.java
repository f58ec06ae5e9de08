package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;

import io.github.senderwhitelist.mailet.server.Judges;

import jakarta.mail.MessagingException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** The names by which explanations know mailets. */
class JudgesTest {
    private static final String USUAL = "SenderWhitelist=file://list.txt";

    @RegisterExtension final TestServer server = new TestServer();
    private final List<String> warnings = server.logged(Judges.class, Level.WARN);

    @BeforeEach
    void list() throws IOException {
        server.write("list.txt", "alice@example.com\n");
    }

    private SenderWhitelist mailet(String... parameters) throws MessagingException {
        return server.mailet("file://list.txt", parameters);
    }

    private Set<String> names() {
        return server.shared.judges().names();
    }

    @Test
    void shouldShareTheNameOfTheSameParameters() throws Exception {
        SenderWhitelist first = mailet("onWhitelisted", "transport");
        SenderWhitelist second = mailet("sender", "envelope");
        assertThat(names()).containsExactly(USUAL);

        first.destroy();
        assertThat(names()).containsExactly(USUAL);
        second.destroy();
        assertThat(names()).isEmpty();
        assertThat(warnings).isEmpty();
    }

    @Test
    void shouldNumberTheNameOfOtherParameters() throws Exception {
        SenderWhitelist first = mailet();
        SenderWhitelist second = mailet("sender", "from");
        SenderWhitelist third = mailet("sender", "from", "name", "by From:");
        assertThat(names()).containsExactly(USUAL, USUAL + "-2", "by From:");
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("named '" + USUAL + "'", "this one '" + USUAL + "-2'");

        second.destroy();
        assertThat(names()).containsExactly(USUAL, "by From:");
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
