package io.github.senderwhitelist.mailet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

/** How often a user may do something in an hour, whatever the clock does. */
class HourlyQuotaTest {
    private static final Key ALICE = SmallLists.address("alice@example.com").key();
    private static final Key BOB = SmallLists.address("bob@example.com").key();
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    private Instant now = NOON;
    private final HourlyQuota<Key> quota = new HourlyQuota<>(2, () -> now);

    private boolean mayUse(Key user) {
        return !quota.isOver(quota.use(user));
    }

    @Test
    void shouldCountTheTimesOfEachUserInAnHour() {
        assertThat(mayUse(ALICE)).isTrue();
        now = NOON.plus(Duration.ofMinutes(59));
        assertThat(quota.isLast(quota.use(ALICE))).isTrue();
        assertThat(mayUse(ALICE)).isFalse();
        assertThat(mayUse(BOB)).isTrue();
        now = NOON.plus(Duration.ofHours(1));
        assertThat(mayUse(ALICE)).isTrue();
        assertThat(quota.use(BOB)).isEqualTo(new HourlyQuota.Used(2, NOON.plusSeconds(7140)));
    }

    @Test
    void shouldNotWaitForAnHourThatIsAheadOfTheClock() {
        now = NOON.plus(Duration.ofDays(365));
        assertThat(mayUse(ALICE)).isTrue();
        assertThat(mayUse(ALICE)).isTrue();
        assertThat(mayUse(ALICE)).isFalse();
        now = NOON;
        assertThat(mayUse(ALICE)).isTrue();
        assertThat(mayUse(ALICE)).isTrue();
        assertThat(mayUse(ALICE)).isFalse();
    }
}
