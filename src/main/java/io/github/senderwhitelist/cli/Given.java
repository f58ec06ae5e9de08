package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.ArgSpec;

import java.util.Objects;

/** What a command line gives for one option or argument. */
final class Given<T> {
    private final ArgSpec spec;

    Given(ArgSpec spec) {
        this.spec = spec;
    }

    /** Returns the value, or null if none is given and there is no default. */
    @Nullable T orNull() {
        return spec.getValue();
    }

    /** Returns the value, or another if none is given. */
    T or(T other) {
        T value = orNull();
        return value == null ? other : value;
    }

    /** Returns the value of an option or argument that is required or has a default. */
    T value() {
        return Objects.requireNonNull(orNull());
    }

    /** Returns whether there is a value. */
    boolean isThere() {
        return orNull() != null;
    }
}
