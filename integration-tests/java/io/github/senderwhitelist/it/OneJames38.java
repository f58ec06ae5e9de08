package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

/** A test with a whole James 3.8.1, which ends with it, and whose log is shown if it fails. */
abstract class OneJames38 {
    private @Nullable James38 james;

    @RegisterExtension
    final LogOnFailure logOnFailure = new LogOnFailure(() -> james == null ? "" : james.log());

    @AfterEach
    void stop() {
        if (james != null) {
            james.close();
        }
    }

    /** Returns the server that was launched last. */
    James38 james() {
        return Objects.requireNonNull(james);
    }

    /** Launches a server. Returns at once. */
    void launch(ServerDirectory directory, @Nullable Outside outside, String... options)
            throws IOException {
        james = James38.launch(directory, James38.Ports.free(), outside, List.of(options));
    }

    /** Waits until the server is ready, or has ended. */
    void awaitStart() {
        James38 server = james();
        await().until(() -> server.log().contains(James38.READY) || !server.process().alive());
    }

    /** Waits until the server is ready, which it must become. */
    void awaitReady() {
        awaitStart();
        assertThat(james().process().alive()).as("started").isTrue();
    }
}
