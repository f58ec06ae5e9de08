package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Map;

/** {@code status --list NAME}: reports the state of a living list. */
final class StatusCommand extends Subcommand {
    private final Given<Boolean> json = flag("--json", "Print JSON.");

    private final LivingOptions living = new LivingOptions(this);

    StatusCommand() {
        super(
                "status",
                "Reports the state of a living list. Exit code 1: the server does not know its"
                        + " latest changes.");
    }

    @Override
    String optionOfArgument() {
        return LivingOptions.LIST;
    }

    @Override
    int call() throws IOException {
        try (LivingPlace place = living.open()) {
            Map<String, @Nullable Object> status = place.status();
            if (json.value()) {
                out().println(Json.indented(status));
            } else {
                print(status);
            }
            boolean behind =
                    status.get("problem") != null || Boolean.TRUE.equals(status.get("behind"));
            return behind ? Main.NEGATIVE : Main.DONE;
        }
    }
}
