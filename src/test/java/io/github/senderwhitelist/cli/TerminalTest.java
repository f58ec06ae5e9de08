package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Map;

/** When a terminal gets colours; https://no-color.org says of NO_COLOR: not empty. */
class TerminalTest {
    @Test
    void shouldHaveStylesUnlessTheEnvironmentForbidsThem() {
        assertThat(Terminal.hasStyles(Map.of("TERM", "xterm"))).isTrue();
        assertThat(Terminal.hasStyles(Map.of("TERM", "xterm", "NO_COLOR", ""))).isTrue();
        assertThat(Terminal.hasStyles(Map.of("TERM", "xterm", "NO_COLOR", "1"))).isFalse();
        assertThat(Terminal.hasStyles(Map.of("TERM", "dumb"))).isFalse();
        assertThat(Terminal.hasStyles(Map.of())).isFalse();
    }
}
