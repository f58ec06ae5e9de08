package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Locale;

/** Tests how text from outside is shown in messages. */
class TextTest {

    /**
     * Characters that change the direction of writing, and those that UTF-8 cannot encode, are
     * escaped like line ends.
     */
    @ParameterizedTest
    @ValueSource(strings = {"a\u202eb", "a\u2066b", "a\ud800b", "a\udc00b"})
    void shouldEscapeWhatDoesNotShow(String text) {
        assertThat(Text.shown(text))
                .isEqualTo("a" + String.format(Locale.ROOT, "\\u%04x", (int) text.charAt(1)) + "b");
    }

    @Test
    void shouldNotCutACharacterInTwo() {
        String shown = Text.shown("x".repeat(79) + "\ud83d\ude00" + "y");
        assertThat(new String(shown.getBytes(UTF_8), UTF_8)).isEqualTo(shown);
    }

    @Test
    void shouldCutLongTextAndSayHowLongItIs() {
        assertThat(Text.shown("x".repeat(80))).isEqualTo("x".repeat(80));
        assertThat(Text.shown("x".repeat(81))).isEqualTo("x".repeat(80) + "… (81 characters)");
        assertThat(Text.escaped("caf\u00e9 \n \udb40\udc01"))
                .isEqualTo("caf\u00e9 \\u000a \\u{e0001}");
    }
}
