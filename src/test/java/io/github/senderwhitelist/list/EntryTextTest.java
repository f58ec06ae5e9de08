package io.github.senderwhitelist.list;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine.Good;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/** An entry shown to people, or exported, is the line that says it. */
class EntryTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"!alice\"@example.com",
                "\"#alice\"@example.com",
                "\"*\"@example.com",
                "!\"!alice\"@example.com",
                "!\"#alice\"@example.com",
                "\"a b # c\"@example.com",
                "!alice@example.com",
                "@example.com",
                "a@example.com until=2027-01-31",
                "a@example.com from=0000-01-01 until=0000-01-01",
                "a@example.com until=0000-01-01T00:00Z",
                "a@example.com auth=dkim to=@b.example note=x"
            })
    void shouldSayTheSameWhenItsTextIsReadAgain(String line) {
        Entry entry = ((Good) ListLine.parse(line)).entry();
        assertThat(ListLine.parse(entry.toString())).isEqualTo(new Good(entry));
    }

    @Test
    void shouldNameTheOriginUnlessItIsTheAdministrator() {
        Key key = SmallLists.address("a@example.com").key();
        Rule learned = new Rule(false, null, null, null, Origin.LEARNED, "");
        assertThat(learned.line(key, null)).isEqualTo("a@example.com origin=learned");
        assertThat(Rule.USER_DENIES.line(key, key))
                .isEqualTo("!a@example.com to=a@example.com origin=user");
    }

    @Test
    void shouldNameTheListWhenItsPackingIsDamaged() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write("alice@example.com\n".repeat(1000).getBytes(UTF_8));
        }
        byte[] cut = Arrays.copyOf(packed.toByteArray(), packed.size() - 9);
        assertThatThrownBy(
                        () -> TextLists.read(new ByteArrayInputStream(cut), "list.gz", entry -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("list.gz");
    }
}
