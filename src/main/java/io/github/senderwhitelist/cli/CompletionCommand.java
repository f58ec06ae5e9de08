package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.util.List;

/**
 * {@code completion}: prints a script by which a shell completes this command, as picocli does. It
 * is one for both shells, since zsh understands that of bash.
 */
@Command(
        description = "Prints a script by which a shell completes commands, options and files.",
        footer = "  source <(whitelist completion bash)     (in ~/.bashrc or ~/.zshrc)")
final class CompletionCommand extends Subcommand {
    /** Without these lines, the shell completes files wherever the script knows nothing better. */
    private static final String NO_FILES = "(?m)^ *type compopt .*\n";

    @Parameters(arity = "0..1", paramLabel = "SHELL", description = "bash (default) or zsh.")
    private String shell = "bash";

    @Override
    int call() {
        value("SHELL", shell, ValueType.oneOf(text -> text, List.of("bash", "zsh")));
        out.print(AutoComplete.bash(Main.NAME, Main.line()).replaceAll(NO_FILES, ""));
        return Main.DONE;
    }
}
