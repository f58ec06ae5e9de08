package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** A command with its options. */
abstract class Subcommand extends Options {
    Subcommand(String name, String description) {
        super(name, description);
    }

    /** Runs the command with the options that were parsed, and returns its exit code. */
    abstract int call() throws IOException;

    /** Returns the option that an argument too many is probably for, or null. */
    @Nullable String optionOfArgument() {
        return null;
    }

    /**
     * Returns whether nothing is left to be done when the command has run, neither by what it used
     * nor by Java. So the process can end at once.
     */
    boolean leavesNothing() {
        return false;
    }
}
