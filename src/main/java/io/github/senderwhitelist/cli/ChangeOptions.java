package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.IOException;

/** The options of commands that change a living list. */
class ChangeOptions extends LivingOptions {
    @Option(
            names = "--who",
            paramLabel = "NAME",
            converter = Values.Name.class,
            description =
                    "With --database: who does it, for the history (default: 'command line' and the"
                            + " system's user).")
    private @Nullable String who;

    @Override
    final LivingPlace open() throws IOException {
        return open(who);
    }
}
