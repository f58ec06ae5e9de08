package io.github.senderwhitelist.it;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
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

    /** Returns the server that was started last. */
    James38 james() {
        return Objects.requireNonNull(james);
    }

    /** Starts a server, and waits until it is ready. */
    void start(ServerDirectory directory, @Nullable Outside outside, String... options)
            throws IOException {
        james = new James38(directory, James38.Ports.free(), outside, options);
        james.awaitReady();
    }
}
