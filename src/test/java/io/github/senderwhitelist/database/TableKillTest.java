package io.github.senderwhitelist.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

/** Kills processes that change a list in SQLite. */
@Tag("kill")
@Tag("large")
class TableKillTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldHaveEveryAcknowledgedChangeAfterBeingKilled(int writers, @TempDir Path folder)
            throws Exception {
        int rounds = Extent.of(5, 250);
        String result = TableKillRounds.run(rounds, writers, folder, 1);
        System.out.println(result);
        assertThat(result).contains("killed " + rounds * writers + " times");
    }
}
