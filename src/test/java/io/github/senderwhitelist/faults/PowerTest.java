package io.github.senderwhitelist.faults;

import static io.github.senderwhitelist.faults.Deed.SNAPSHOT;
import static io.github.senderwhitelist.faults.Deed.TEXT;
import static io.github.senderwhitelist.faults.Following.LOOSE;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.disk.Change;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Cuts the power in a sample of the states of a disk, at length in all, and checks that this finds
 * a necessary step that is omitted.
 */
@Tag("power")
class PowerTest {
    private static final int SAMPLE = 500;

    @Test
    void shouldOutliveAPowerCutAtAnyMoment() throws IOException {
        for (PowerRounds rounds : PowerRounds.all()) {
            if (Extent.isLong()) {
                rounds.untilBroken(PowerRounds.MAX_LOST);
                System.out.println(rounds);
            } else {
                rounds.some(SAMPLE, new SplittableRandom(1));
            }
            assertThat(rounds.broken()).isEmpty();
            assertThat(rounds.states()).isGreaterThanOrEqualTo(SAMPLE);
        }
    }

    private static void requireFound(PowerRounds rounds) {
        rounds.untilBroken(1);
        assertThat(rounds.broken()).isNotEmpty();
    }

    /** They are not forced at all, or after they are renamed instead of before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFindOutThatFilesAreNotForcedInTime(boolean isLater) throws IOException {
        UnaryOperator<List<Change>> way =
                log ->
                        log.stream()
                                .filter(change -> !(change instanceof Change.ForcedFile))
                                .flatMap(
                                        change ->
                                                isLater && change instanceof Change.Renamed renamed
                                                        ? Stream.of(
                                                                change,
                                                                new Change.ForcedFile(
                                                                        renamed.inode()))
                                                        : Stream.of(change))
                                .toList();
        requireFound(PowerRounds.following(TEXT, LOOSE, way));
        requireFound(PowerRounds.following(SNAPSHOT, LOOSE, way));
        requireFound(PowerRounds.merging(way));
    }

    private static UnaryOperator<List<Change>> unforced(Path folder) {
        return log ->
                log.stream()
                        .filter(change -> !change.equals(new Change.ForcedFolder(folder)))
                        .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/var", "/var/whitelist"})
    void shouldFindOutThatAFolderIsNotForced(Path folder) throws IOException {
        requireFound(PowerRounds.following(TEXT, LOOSE, unforced(folder)));
        requireFound(PowerRounds.following(SNAPSHOT, LOOSE, unforced(folder)));
    }
}
