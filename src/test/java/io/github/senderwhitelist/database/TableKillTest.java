package io.github.senderwhitelist.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

/** The short form of {@link TableKillRounds}. */
@Tag("large")
class TableKillTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldHaveEveryAcknowledgedChangeAfterBeingKilled(int writers, @TempDir Path folder)
            throws Exception {
        int rounds = Extent.of(5, 20);
        assertThat(TableKillRounds.run(rounds, writers, folder, 1))
                .contains("killed " + rounds * writers + " times");
    }
}
