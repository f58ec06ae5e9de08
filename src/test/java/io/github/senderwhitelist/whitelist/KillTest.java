package io.github.senderwhitelist.whitelist;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The short form of {@link KillRounds}. */
class KillTest {
    @Test
    void shouldAlwaysHaveAWholeListAfterBeingKilled(@TempDir Path folder) throws Exception {
        assertThat(KillRounds.run(6, folder, System.nanoTime())).contains("killed 6 times");
    }
}
