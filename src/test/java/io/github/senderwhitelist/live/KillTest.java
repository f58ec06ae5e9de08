package io.github.senderwhitelist.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The short form of {@link KillRounds}. */
class KillTest {
    @Test
    void shouldAlwaysHaveAWholeListAfterBeingKilled(@TempDir Path folder) throws Exception {
        int rounds = Extent.of(3, 6);
        assertThat(KillRounds.run(rounds, folder, System.nanoTime()))
                .contains("killed " + rounds + " times");
    }
}
