package io.github.senderwhitelist.faults;

import static io.github.senderwhitelist.faults.Deed.SNAPSHOT;
import static io.github.senderwhitelist.faults.Deed.TEXT;
import static io.github.senderwhitelist.faults.Following.LOOSE;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.disk.CarelessDisk;
import io.github.senderwhitelist.disk.CarelessDisk.Neglect;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Cuts the power in a sample of the states of a disk, at length in all, and checks that this finds
 * a necessary step that is omitted.
 */
@Tag("power")
class PowerTest {
    private static final int SAMPLE = 500;

    @Test
    void shouldOutliveAPowerCutAtAnyMoment() throws IOException {
        for (PowerRounds rounds : PowerRounds.all(disk -> disk).values()) {
            if (Extent.isLong()) {
                rounds.all(PowerRounds.MOST_LOST);
                System.out.println(rounds);
            } else {
                rounds.some(SAMPLE, new SplittableRandom(1));
            }
            assertThat(rounds.broken()).isEmpty();
            assertThat(rounds.states()).isGreaterThanOrEqualTo(SAMPLE);
        }
    }

    private static UnaryOperator<Disk> careless(Neglect neglect, Path folder) {
        return disk -> new CarelessDisk(disk, neglect, folder);
    }

    private static void requireFound(PowerRounds rounds) {
        rounds.untilBroken(1);
        assertThat(rounds.broken()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Neglect.class,
            names = {"FILES", "ORDER"})
    void shouldFindOutThatFilesAreNotForcedInTime(Neglect neglect) throws IOException {
        UnaryOperator<Disk> way = careless(neglect, Path.of("/none"));
        requireFound(PowerRounds.following(TEXT, LOOSE, way));
        requireFound(PowerRounds.following(SNAPSHOT, LOOSE, way));
        requireFound(PowerRounds.building(LOOSE, way));
        requireFound(PowerRounds.folding(way));
    }

    @Test
    void shouldFindOutThatAFolderIsNotForced() throws IOException {
        requireFound(PowerRounds.building(LOOSE, careless(Neglect.FOLDER, Building.OUT)));
        Path above = Objects.requireNonNull(Following.WORK.getParent());
        for (Path folder : List.of(Following.WORK, above, Path.of("/"))) {
            UnaryOperator<Disk> way = careless(Neglect.FOLDER, folder);
            requireFound(PowerRounds.following(TEXT, LOOSE, way));
            requireFound(PowerRounds.following(SNAPSHOT, LOOSE, way));
        }
    }

    /** The careless disk itself must break nothing. */
    @Test
    void shouldFindNothingWhereNothingIsLeftOut() throws IOException {
        PowerRounds rounds =
                PowerRounds.building(LOOSE, careless(Neglect.FOLDER, Path.of("/none")));
        rounds.all(1);
        assertThat(rounds.broken()).isEmpty();
    }
}
