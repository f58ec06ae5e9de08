package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;

import picocli.AutoComplete;
import picocli.CommandLine;

import java.util.List;
import java.util.function.Function;

/** {@code completion}: prints a script by which a shell completes this command. */
final class CompletionCommand extends Subcommand {
    /** Without this line, the shell completes files wherever the script knows nothing better. */
    private static final String NO_FILES = "  type compopt &>/dev/null && compopt +o default\n";

    CompletionCommand() {
        super(
                "completion",
                "Prints a script for a shell, which then completes commands, options and files, as"
                        + " after: source <(whitelist completion bash).");
        optionalArgument(
                "SHELL",
                ValueType.oneOf(Function.identity(), List.of("bash", "zsh")),
                "The shell: bash (default) or zsh, which reads the same script.");
    }

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() {
        CommandLine all = spec().commandLine().getParent();
        AllCommands.addTo(all);
        out().print(AutoComplete.bash(Main.NAME, all).replace(NO_FILES, ""));
        out().flush();
        return Main.DONE;
    }
}
