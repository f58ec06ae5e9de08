package io.github.senderwhitelist.cli;

import java.io.IOException;

/** The options of commands that change a living list. */
class ChangeOptions extends LivingOptions {
    private final Given<String> who =
            option(
                    "--who",
                    "NAME",
                    Values.name(),
                    "Who does it, for the history (default: 'command line' and the system's"
                            + " user).");

    ChangeOptions(Options command) {
        super(command);
    }

    @Override
    final LivingPlace open() throws IOException {
        return open(who.orNull());
    }
}
