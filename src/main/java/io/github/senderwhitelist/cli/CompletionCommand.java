package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;

import picocli.AutoComplete;
import picocli.CommandLine;

import java.util.List;
import java.util.function.Function;

/** {@code completion}: prints what a package of this command installs beside it. */
final class CompletionCommand extends Subcommand {
    /** Without this line, the shell completes files wherever the script knows nothing better. */
    private static final String NO_FILES = "  type compopt &>/dev/null && compopt +o default\n";

    private final Given<String> form;

    CompletionCommand() {
        super(
                "completion",
                "Prints a script for a shell, which then completes commands, options and files, as"
                    + " after: source <(whitelist completion bash). Or prints the manual page.");
        form =
                optionalArgument(
                        "FORM",
                        ValueType.oneOf(Function.identity(), List.of("bash", "zsh", "fish", "man")),
                        "The shell: bash (default), zsh, fish; or man, for the manual page.");
    }

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() {
        CommandLine all = spec().commandLine().getParent();
        AllCommands.addTo(all);
        out().print(
                        switch (form.or("bash")) {
                            case "fish" -> FishCompletion.of(all);
                            case "man" -> ManualPage.of(all);
                            default -> AutoComplete.bash(Main.NAME, all).replace(NO_FILES, "");
                        });
        out().flush();
        return Main.DONE;
    }
}
