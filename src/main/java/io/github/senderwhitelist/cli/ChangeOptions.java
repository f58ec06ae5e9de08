package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.IOException;

/** The options of commands that change a living list. */
final class ChangeOptions extends LivingOptions {
    @Option(
            names = "--who",
            paramLabel = "NAME",
            converter = Values.Name.class,
            description =
                    "With --database: who does it, for the history (default: 'command line' and the"
                            + " system's user).")
    private @Nullable String who;

    /** Opens the list, and makes a new database if it is a file that is missing. */
    LivingPlace openToPut() throws IOException {
        return open(who, true);
    }

    /** Opens the list, which must be there. */
    LivingPlace openToRemove() throws IOException {
        return open(who, false);
    }
}
