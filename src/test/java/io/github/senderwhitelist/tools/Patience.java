package io.github.senderwhitelist.tools;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.time.Duration;

/**
 * Lets all tests wait long enough for a busy machine. Only something broken takes longer. A test
 * says a shorter time itself where waiting longer would hide a failure, such as a list that is
 * looked at again after some minutes anyway. JUnit finds this class by itself, see {@code
 * junit-platform.properties}.
 */
public final class Patience implements BeforeAllCallback, Extension {
    private static final Duration LONG = Duration.ofMinutes(10);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(LONG);
    }
}
