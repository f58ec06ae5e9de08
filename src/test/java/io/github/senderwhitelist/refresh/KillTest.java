package io.github.senderwhitelist.refresh;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Kills a process that refreshes lists. */
@Tag("kill")
class KillTest {
    @Test
    void shouldAlwaysHaveAWholeListAfterBeingKilled(@TempDir Path folder) throws Exception {
        int rounds = Extent.of(3, 200);
        String result = KillRounds.run(rounds, folder, System.nanoTime());
        System.out.println(result);
        assertThat(result).contains("killed " + rounds + " times");
    }
}
