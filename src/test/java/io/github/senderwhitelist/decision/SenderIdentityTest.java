package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;

class SenderIdentityTest {
    private static final Verdict LISTED =
            new Listed(new Entry(Key.of(new byte[] {'a'}, new byte[] {'b'}), false));
    private static final Verdict DENIED = new NotListed(Reason.DENIED, null);
    private static final Verdict UNAVAILABLE = new Unavailable(new IOException("x"));
    private static final Verdict FAILED = new Failed(new IllegalStateException("x"));

    private static Verdict verdict(String name) {
        return switch (name) {
            case "listed" -> LISTED;
            case "denied" -> DENIED;
            case "expired" -> new NotListed(Reason.EXPIRED, null);
            case "stranger" -> NotListed.STRANGER;
            case "unavailable" -> UNAVAILABLE;
            case "failed" -> FAILED;
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Pairs of verdicts on the two addresses, in either order, and the verdict on the mail. */
    @ParameterizedTest
    @CsvSource({
        "listed, listed, listed, listed",
        "listed, stranger, listed, stranger",
        "listed, denied, denied, denied",
        "listed, expired, listed, expired",
        "listed, unavailable, listed, unavailable",
        "listed, failed, failed, failed",
        "stranger, unavailable, unavailable, stranger",
        "stranger, expired, expired, expired",
        "stranger, denied, denied, denied",
        "stranger, failed, failed, failed",
        "denied, unavailable, denied, denied",
        "unavailable, unavailable, unavailable, unavailable",
        "unavailable, failed, failed, failed",
    })
    void shouldJoinTheVerdictsOnBothAddresses(
            String one, String other, String either, String both) {
        assertThat(SenderIdentity.EITHER.of(verdict(one), verdict(other)))
                .isEqualTo(verdict(either));
        assertThat(SenderIdentity.EITHER.of(verdict(other), verdict(one)))
                .isEqualTo(verdict(either));
        assertThat(SenderIdentity.BOTH.of(verdict(one), verdict(other))).isEqualTo(verdict(both));
        assertThat(SenderIdentity.BOTH.of(verdict(other), verdict(one))).isEqualTo(verdict(both));
    }
}
