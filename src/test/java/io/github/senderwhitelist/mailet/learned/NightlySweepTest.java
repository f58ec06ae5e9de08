package io.github.senderwhitelist.mailet.learned;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.LocalTime;

class NightlySweepTest {
    @ParameterizedTest
    @CsvSource({
        "02:59:00, PT1M",
        "03:00:00, PT0S",
        "03:00:01, PT23H59M59S",
        "23:00:00, PT4H",
        "00:00:00, PT3H"
    })
    void shouldWaitForTheNight(LocalTime now, Duration wait) {
        assertThat(NightlySweep.untilNight(now)).isEqualTo(wait);
    }
}
