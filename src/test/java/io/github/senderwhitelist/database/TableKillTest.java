package io.github.senderwhitelist.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The short form of {@link TableKillRounds}. */
@Tag("large")
class TableKillTest {
    @Test
    void shouldHaveEveryAcknowledgedChangeAfterBeingKilled(@TempDir Path folder) throws Exception {
        int rounds = Extent.of(5, 20);
        assertThat(TableKillRounds.run(rounds, folder, System.nanoTime()))
                .contains("killed " + rounds + " times");
    }
}
