package io.github.senderwhitelist.mailet.settings;

import org.jspecify.annotations.Nullable;

/**
 * A wrong value in a configuration, with which James does not start. Its message is one line that
 * says where it is, and why.
 */
public final class SettingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SettingException(String message) {
        super(message);
    }

    public SettingException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
