package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.LocalDate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tests {@link Json}. */
class JsonTest {
    @Test
    void writesAllKindsOfValues() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("numbers", List.of(1, 2L, 0.5, Double.NaN));
        members.put("others", Arrays.asList(true, null, LocalDate.of(2026, 11, 1)));
        members.put("none", Map.of());
        assertThat(Json.indented(members))
                .isEqualTo(
                        """
                        {
                          "numbers": [
                            1,
                            2,
                            0.5,
                            null
                          ],
                          "others": [
                            true,
                            null,
                            "2026-11-01"
                          ],
                          "none": {
                           \s
                          }
                        }\
                        """);
    }

    @Test
    void putsEachMemberOnALine() {
        assertThat(Json.indented(Map.of("a", List.of(1, 2))))
                .isEqualTo("{\n  \"a\": [\n    1,\n    2\n  ]\n}");
    }

    @Test
    void escapesWhatTextMayNotHold() {
        assertThat(Json.indented("\"a\\b\"\n\u0000é"))
                .isEqualTo("\"\\\"a\\\\b\\\"\\u000a\\u0000é\"");
    }
}
