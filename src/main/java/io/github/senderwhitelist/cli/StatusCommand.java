package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** {@code status --list NAME}: tells how a living list is. */
@Command(
        name = "status",
        description =
                "Tells how a living list is. Exit code 1: the server does not know its latest"
                        + " changes.",
        mixinStandardHelpOptions = true)
final class StatusCommand extends Subcommand {
    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Mixin private final LivingOptions living = new LivingOptions();

    @Override
    public Integer call() throws IOException {
        try (LivingPlace place = living.open()) {
            Map<String, @Nullable Object> status = place.status();
            if (json) {
                out().println(Json.of(status));
            } else {
                status.forEach(
                        (name, value) ->
                                out().printf(
                                                Locale.ROOT,
                                                "%-10s %s%n",
                                                name,
                                                value == null ? "none" : value));
            }
            boolean behind =
                    status.get("problem") != null || Boolean.TRUE.equals(status.get("behind"));
            return behind ? Main.NEGATIVE : Main.DONE;
        }
    }
}
