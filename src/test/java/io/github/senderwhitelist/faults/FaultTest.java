package io.github.senderwhitelist.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.faults.FaultRounds.Beginning;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Lets calls on disks go wrong: some of each kind, at length all. */
@Tag("power")
@Tag("large")
class FaultTest {
    private static final int MOST_OF_A_KIND = Extent.of(3, Integer.MAX_VALUE);

    private static Map<String, Beginning> deeds = Map.of();
    private static int cases;

    @BeforeAll
    static void prepare() throws IOException {
        deeds = FaultRounds.deeds();
        cases = 0;
    }

    static Set<String> deeds() {
        return deeds.keySet();
    }

    @ParameterizedTest
    @MethodSource("deeds")
    @Timeout(3600)
    void shouldBeWellAfterwardsWhateverGoesWrong(String name) throws IOException {
        FaultRounds rounds = new FaultRounds(MOST_OF_A_KIND);
        rounds.play(name, Objects.requireNonNull(deeds.get(name)));
        cases += rounds.cases();
        assertThat(rounds.wrong()).isEmpty();
    }

    @AfterAll
    static void requireThousands() {
        System.out.println(cases + " cases");
        assertThat(cases).isGreaterThan(2_000);
    }
}
