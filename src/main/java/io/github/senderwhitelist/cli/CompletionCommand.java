package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;

import picocli.AutoComplete;
import picocli.CommandLine;

import java.util.List;
import java.util.function.Function;

/** {@code completion}: prints the script by which bash and zsh complete this command. */
final class CompletionCommand extends Subcommand {
    /** Without this line, the shell completes files wherever the script knows nothing better. */
    private static final String NO_FILES = "  type compopt &>/dev/null && compopt +o default\n";

    CompletionCommand() {
        super(
                "completion",
                "Prints a script for bash and zsh, which then complete commands, options and files:"
                        + " source <(whitelist completion)");
        optionalArgument(
                "SHELL",
                ValueType.oneOf(Function.identity(), List.of("bash", "zsh")),
                "bash or zsh; the script is the same.");
    }

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() {
        CommandLine all = spec().commandLine().getParent();
        AllCommands.addTo(all);
        out().println(AutoComplete.bash(Main.NAME, all).replace(NO_FILES, ""));
        return Main.DONE;
    }
}
